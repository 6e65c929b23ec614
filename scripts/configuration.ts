/** Writes `docs/configuration.md` from the descriptions in `env.ts`. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { configuration } from "./lib/configuration";

writeFileSync(path.join(import.meta.dirname, "../docs/configuration.md"), configuration());
