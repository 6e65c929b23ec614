import { randomBytes } from "node:crypto";
import path from "node:path";
import { parseArgs } from "node:util";
import { measureCollection } from "./datasets/measure-collection";
import { measureReads } from "./datasets/measure-reads";
import { measureVersions } from "./datasets/measure-versions";
import { machine } from "./lib/machine";

/**
 * Run by `npm run bench -- datasets`: lists, searches and facets of a Dataset of a million Examples beside one of 10,000, and
 * the cost of a hundred versions and of a restore. `--only reads` runs one part; use `--examples 300000` on a busy machine.
 */
const { values } = parseArgs({
  options: {
    examples: { type: "string", default: "1000000" },
    "versioned-examples": { type: "string", default: "100000" },
    conversations: { type: "string", default: "100000" },
    "data-dir": { type: "string", default: path.join(process.env.DATA_DIR ?? ".data", "bench-datasets") },
    only: { type: "string", default: "reads,versions,collection" },
  },
});
process.env.WHETSTONE_SECRET ??= randomBytes(32).toString("base64url");

const begun = performance.now();
const progress = (line: string) =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${line}`);
const folder = path.resolve(values["data-dir"]);
const PARTS = {
  reads: () => measureReads(folder, Number(values.examples), progress),
  versions: () => measureVersions(folder, Number(values["versioned-examples"]), progress),
  collection: () => measureCollection(folder, Number(values.conversations), progress),
};

console.log(machine());
const wanted = values.only.split(",");
for (const part of wanted) if (!(part in PARTS)) throw new Error(`There is no part ${part}.`);
for (const [name, run] of Object.entries(PARTS)) if (wanted.includes(name)) await run();
