import { readFileSync, writeFileSync } from "node:fs";
import type { Hot, Plan } from "./explain";

const MARKS = ["<!-- hottest: written by npm run bench -- scale --write -->", "<!-- end -->"] as const;
const QUERY_CHARACTERS = 400;

const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));
const plan = ({ shape, rows, hit, read, ms: time }: Plan) =>
  `${ms(time)} ms, ${rows} rows, ${(hit + read).toLocaleString("en")} buffers${read > 0 ? ` (${read.toLocaleString("en")} not in the server's own)` : ""}: ${shape || "no table"}`;

/** Omits the column list that every row shares. */
const short = (query: string) => {
  const text = query.replaceAll(/\s+/g, " ").replaceAll('"', "").trim();
  const trimmed = text.replace(/^select (?:(?!select|from).){80,}? from /i, "select … from ");
  return trimmed.length > QUERY_CHARACTERS ? `${trimmed.slice(0, QUERY_CHARACTERS)}…` : trimmed;
};

export const hotLines = (hot: readonly Hot[]): string[] =>
  hot.flatMap(({ query, reads, totalMs, custom, generic }, index) => [
    `${index + 1}. **${reads.slice(0, 3).join(", ")}${reads.length > 3 ? ` and ${reads.length - 3} more` : ""}**: ${ms(totalMs)} ms over a round of all reads.`,
    "",
    "   ```sql",
    `   ${short(query)}`,
    "   ```",
    `   - for the values: ${plan(custom)}`,
    `   - for any values: ${plan(generic)}`,
    "",
  ]);

/** Writes the plans between their markers in the document. */
export function writeHottest(file: string, head: string, hot: readonly Hot[]) {
  const text = readFileSync(file, "utf8");
  const [from, to] = [text.indexOf(MARKS[0]), text.indexOf(MARKS[1])];
  if (from < 0 || to < from) throw new Error(`${file} has no place for the plans.`);
  const lines = [MARKS[0], "", head, "", ...hotLines(hot)].join("\n");
  writeFileSync(file, text.slice(0, from) + lines + text.slice(to));
}
