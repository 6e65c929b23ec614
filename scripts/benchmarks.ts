/** Writes `docs/benchmarks.md` from `bench/results.json`. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { benchmarks } from "./lib/benchmarks";

writeFileSync(path.join(import.meta.dirname, "../docs/benchmarks.md"), benchmarks());
