import { z } from "zod";
import { EVALUATOR_KINDS } from "@/db/schema/enumerations";
import { filledText } from "@/server/platform/schemas";

/** Newest results of an evaluator from which its range and labels are told. */
export const RESULTS_TOLD = 1000;
/** Newest results of an evaluator that are compared with what Rules found. */
export const RESULTS_COMPARED = 5000;
export const EVALUATORS_MAX = 100;
export const LABELS_MAX = 20;
/** A longer text is an explanation, not a label. */
export const LABEL_CHARACTERS_MAX = 100;
/** Conversations named that only the evaluator faults. */
export const MISSED_MAX = 10;

const name = filledText(500);
const label = z.string().min(1).max(LABEL_CHARACTERS_MAX);

/** Which results mean that a conversation failed: scores on one side of a limit, or certain labels. */
export const failsWhen = z.union([
  z.strictObject({ below: z.number().describe("Scores below this fail.") }),
  z.strictObject({ above: z.number().describe("Scores above this fail.") }),
  z.strictObject({ labels: z.array(label).min(1).max(LABELS_MAX).describe("These labels fail.") }),
]);
export type FailsWhen = z.infer<typeof failsWhen>;

/** An automatic evaluator whose results clients sent. Times are Unix ms. */
export const evaluator = z.object({
  name: z.string(),
  evaluatorKind: z
    .enum(EVALUATOR_KINDS)
    .nullable()
    .describe("Who judges: a model or a program; `null` if its newest result does not say."),
  results: z
    .int()
    .describe(`Of its newest ${RESULTS_TOLD.toLocaleString("en")} at most; what follows is told from these.`),
  lowest: z.number().nullable().describe("The lowest score; `null` without scores."),
  highest: z.number().nullable().describe("The highest score; `null` without scores."),
  labels: z.array(z.string()).describe(`Its most frequent labels, at most ${LABELS_MAX}.`),
  lastGivenAt: z.number(),
  failsWhen: failsWhen.nullable().describe("`null` until somebody says which of its results are bad."),
});
export type Evaluator = z.infer<typeof evaluator>;

export const listEvaluatorsInput = z.strictObject({});
export const evaluatorsReply = z.object({ evaluators: z.array(evaluator) });

export const updateEvaluatorInput = z
  .strictObject({ name, failsWhen: failsWhen.nullable() })
  .meta({ examples: [{ name: "relevance", failsWhen: { below: 0.5 } }] });
export const updatedEvaluatorReply = z.object({
  evaluator: z.object({ name: z.string(), failsWhen: failsWhen.nullable() }),
});

export const compareEvaluatorInput = z.strictObject({ name });

const estimate = z.object({ value: z.number(), low: z.number(), high: z.number() });
export const agreement = z.object({
  rule: z.object({ id: z.string(), name: z.string() }),
  conversations: z.int().describe("Conversations that both judged. The next four add up to it."),
  both: z.int().describe("In which the evaluator and the Rule found something."),
  onlyEvaluator: z.int(),
  onlyRule: z.int(),
  neither: z.int(),
  agreement: z.number().describe("The share of conversations in which they agree."),
  kappa: estimate
    .nullable()
    .describe(
      "Cohen's kappa: agreement beyond that of two who judge at random as often as these do. With a 95% interval (Fleiss, Cohen and Everitt 1969). `null` if either always says the same.",
    ),
});
export type Agreement = z.infer<typeof agreement>;

export const evaluatorComparisonReply = z.object({
  comparison: z.object({
    name: z.string(),
    failsWhen: failsWhen.nullable(),
    conversations: z.int().describe("Conversations with a result that passes or fails."),
    failed: z.int().describe("Of these, the ones of which a result fails."),
    sampled: z
      .boolean()
      .describe(`Whether there are more results than the newest ${RESULTS_COMPARED.toLocaleString("en")}.`),
    rules: z.array(agreement).describe("Rules that have read any of these conversations, those that agree most first."),
    missed: z.object({
      count: z.int().describe("Conversations that failed and in which no Rule found anything."),
      conversationIds: z.array(z.string()).describe(`The newest, at most ${MISSED_MAX}.`),
    }),
  }),
});
export type EvaluatorComparison = z.infer<typeof evaluatorComparisonReply>["comparison"];
