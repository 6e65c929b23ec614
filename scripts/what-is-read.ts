/** Writes `docs/what-is-read.md` from the conventions of exporters. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { whatIsRead } from "@/server/services/telemetry/otlp/what-is-read";

writeFileSync(path.join(import.meta.dirname, "../docs/what-is-read.md"), whatIsRead());
