import { plural } from "@/app/_lib/format";
import { type Evaluator, type FailsWhen, RESULTS_TOLD } from "@/server/services/diagnostics/evaluators/schemas";

const JUDGES = { model: "A model judged", code: "A program judged", human: "People judged" } as const;

/** Says who judged, how often, and what the results are. */
export function rangeWords({ evaluatorKind, results, lowest, highest, labels }: Evaluator): string {
  const who = evaluatorKind === null ? "It does not say who judged" : JUDGES[evaluatorKind];
  const count =
    results === RESULTS_TOLD ? `its newest ${results.toLocaleString("en")} results` : plural(results, "result");
  const told = [
    ...(lowest === null || highest === null
      ? []
      : [lowest === highest ? `the score ${lowest}` : `scores from ${lowest} to ${highest}`]),
    ...(labels.length === 0 ? [] : [`the labels ${labels.map((label) => `“${label}”`).join(", ")}`]),
  ];
  return `${who}. Among ${count}: ${told.join(" and ") || "neither scores nor labels"}.`;
}

/** Says which results are bad. */
export function failsWhenWords(failsWhen: FailsWhen): string {
  if ("below" in failsWhen) return `Scores below ${failsWhen.below} are bad.`;
  if ("above" in failsWhen) return `Scores above ${failsWhen.above} are bad.`;
  const labels = failsWhen.labels.map((label) => `“${label}”`).join(", ");
  return `${failsWhen.labels.length === 1 ? "The label" : "The labels"} ${labels} ${failsWhen.labels.length === 1 ? "is" : "are"} bad.`;
}
