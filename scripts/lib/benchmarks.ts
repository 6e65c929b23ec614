import { z } from "zod";
import results from "@/bench/results.json";

const INTRODUCTION = `# Benchmarks

\`npm run bench -- NAME\` runs one, \`npm run bench\` lists them. Each prints the machine and its results; those with a bound exit
non-zero when they miss it. The newest results are noted in \`bench/results.json\`, from which \`npm run docs:benchmarks\` writes this
page; earlier ones are in the history.

All are from two cores with 24 GiB, Node 20.20.2, Linux and an embedded PostgreSQL 18.4 with \`fsync\` and \`synchronous_commit\` on.
Ratios within one run are worth more than absolute figures: the machines differ from day to day, and so does what else they do
(“load” is the load average, – is not noted).
`;

const DIAGNOSTICS = `
\`npm run bench -- diagnostics DIR… --write\` measures every Signal and writes [a table for readers](diagnostics-quality.md) and
\`server/services/diagnostics/rules/confidence-table.generated.json\` behind every confidence. It prints precision, recall, F1 and AUC
per Signal, file, message and attack family, false alarms on healthy conversations (files named \`healthy…\`), how far evidence is
from the decisive step, and conversations per second. The gold labels are in \`bench/diagnostics/gold\`, one file per Rule; \`index.ts\`
there explains how to add one.
`;

const resultSchema = z.strictObject({
  bench: z.string().describe("The file in bench/, or what else measured it, in Markdown."),
  what: z.string(),
  figure: z.string(),
  bound: z.string().nullable(),
  met: z.boolean().nullable().describe("Unknown if there is no bound, or nobody has compared the figure with it."),
  date: z.iso.date(),
  machine: z.string().nullable().describe("A key of `machines`; null for counts that no machine changes."),
  load: z.string().nullable(),
});

const fileSchema = z.strictObject({
  machines: z.record(z.string(), z.string()),
  results: z
    .array(resultSchema)
    .refine((rows) => rows.every(({ bound, met }) => bound !== null || met === null), "Only a bound can be met."),
});

export type BenchmarkResult = z.infer<typeof resultSchema>;

/** Returns the newest results, as noted in `bench/results.json`. */
export const benchmarkResults = () => fileSchema.parse(results);

const cell = (text: string) => text.replaceAll("|", "\\|");
const benchOf = (bench: string) => (bench.includes(" ") || bench.includes("`") ? bench : `\`${bench}\``);
const boundOf = ({ bound, met }: BenchmarkResult) =>
  bound === null ? "–" : met === false ? `${bound}: **missed**` : bound;

/** Returns the text of `docs/benchmarks.md`. */
export function benchmarks(): string {
  const { machines, results: rows } = benchmarkResults();
  const machineOf = ({ machine, load }: BenchmarkResult) =>
    machine === null ? "–" : `${machines[machine]}; ${load ?? "–"}`;
  return [
    INTRODUCTION,
    "| Bench | What | Figure | Bound | Date | Machine |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) =>
      [benchOf(row.bench), row.what, row.figure, boundOf(row), row.date, machineOf(row)]
        .map(cell)
        .join(" | ")
        .replace(/^(.*)$/s, "| $1 |"),
    ),
    DIAGNOSTICS,
  ].join("\n");
}
