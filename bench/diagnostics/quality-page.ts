import { RULES } from "@/server/services/diagnostics/rules";
import type { EvidenceDistance } from "./evidence-distance";
import { type Figures, figuresOf, ratio } from "./figures";
import type { FalseAlarms } from "./healthy";
import type { LeftOutFamily } from "./injection-families";
import type { Reading } from "./readings";

type Measured = {
  measured: readonly Reading[];
  generated: readonly Reading[];
  alarms: ReadonlyMap<string, FalseAlarms>;
  distance: EvidenceDistance;
  families: readonly LeftOutFamily[];
  files: readonly { file: string; n: number }[];
};

const figure = (value: number | null) => (value === null ? "–" : value.toFixed(3));
const percent = (value: number | null) => (value === null ? "–" : `${(100 * value).toFixed(1)} %`);
const COUNT = new Intl.NumberFormat("en");

/** Returns the page of measured quality, in Markdown. */
export function qualityPage({ measured, generated, alarms, distance, families, files }: Measured): string {
  const figures = (readings: readonly Reading[], signal: string) =>
    figuresOf(readings.filter((reading) => reading.signal === signal).map(({ verdict }) => verdict));
  const rules = RULES.map(({ name, detectors }) => {
    const rows = detectors.map(({ signal }) =>
      row(signal, figures(measured, signal), figures(generated, signal), alarms.get(signal)),
    );
    return `## ${name}\n\n${HEAD}\n${rows.join("\n")}`;
  });
  const read = files.map(({ file, n }) => `\`${file}\` (${COUNT.format(n)})`).join(", ");
  return `${INTRODUCTION}

Conversations read: ${read}.

${rules.join("\n\n")}

## Injections of a family not seen

Each row leaves out the cues that were written for a family of attacks. The text model of orders has never seen any of these attacks.

| Family | attacks | recall | false alarms |
|---|--:|--:|--:|
${families.map(({ attack, n, found, clean, alarms: wrong }) => `| ${attack} | ${n} | ${figure(ratio(found, n))} | ${wrong} of ${COUNT.format(clean)} |`).join("\n")}

## Evidence

Of ${COUNT.format(distance.n)} failed agent runs whose decisive step people marked, something is reported in ${percent(ratio(distance.found, distance.n))}; the evidence of
the most confident Signal is within one step of the decisive one in ${percent(ratio(distance.near, distance.n))} of all, any evidence in ${percent(ratio(distance.anyNear, distance.n))}.

${LIMITS}
`;
}

const LIMITS = `## What limits these figures

- **\`tool_error\` on tau2.** Each wrong one begins with "Error:" and is not flagged in the data, though others with the same words are: "User not
  found" is none, "User john_doe_123 not found" is one. No feature of the text separates them, and whoever reads either sees an error.
- **\`partial_refusal\` on XSTest.** A full refusal there offers an alternative as often as a partial one. Rules that look for "Instead, …" and what follows it
  have a precision of .15 on four fifths of the questions, so the Signal claims only a part that is declined by name ("the exact wording") with the rest given.
- **The decisive step.** Where something is reported far from it, it is a symptom: a provider's error or a limit at the end, an exception after a wrong plan.
  Another order of the same evidence can't bring more than "any evidence" says; a wrong assumption in plain words is left to an adjudicator.
- **Who stopped the run.** \`ended_by_limit\` reads messages, model calls and tool calls. A limit that only the span of an agent or a chain states is not seen.`;

const INTRODUCTION = `# Measured quality of the Signals

Written by \`npm run bench -- diagnostics DIR --write\`, which also makes the table behind every confidence. Don't edit it.

Precision, recall, F1 and AUC are by conversation, on conversations labelled by people or benchmarks, for matches without an
adjudicator. Rows marked ° are on conversations that we generated: they show that a detector works, not how precise it is on real ones.
False alarms: the share of healthy conversations (labelled as without the Signal, or in files marked healthy) on which the Signal
speaks up at its default thresholds. These are development data: on other data expect less.`;

const HEAD = `| Signal | conversations | with it | precision | recall | F1 | AUC | false alarms |
|---|--:|--:|--:|--:|--:|--:|--:|`;

function row(signal: string, measured: Figures, generated: Figures, alarms: FalseAlarms | undefined): string {
  const isMeasured = measured.n > 0;
  const { n, positives, precision, recall, f1, auc } = isMeasured ? measured : generated;
  const share = alarms ? ratio(alarms.alarms, alarms.healthy) : null;
  const healthy = share === null ? "–" : `${percent(share)} of ${COUNT.format(alarms!.healthy)}`;
  const cells = [
    `\`${signal}\`${isMeasured || n === 0 ? "" : " °"}`,
    n === 0 ? "–" : COUNT.format(n),
    n === 0 ? "–" : COUNT.format(positives),
    ...[precision, recall, f1, auc].map(figure),
    healthy,
  ];
  return `| ${cells.join(" | ")} |`;
}
