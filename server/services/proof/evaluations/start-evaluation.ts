import { type Ctx, inTransaction } from "@/server/platform/context";
import { insertEvaluation } from "./insert-evaluation";
import { type EvaluationChoice, prepareEvaluation } from "./prepare-evaluation";
import { ROWS_DEFAULT } from "./schemas";

type Choice = Omit<EvaluationChoice, "maxRows" | "kind" | "findingId"> & { maxRows?: number };

/**
 * Starts a comparison of a checkpoint over held-out Examples outside any transaction, as automatic deployment does, and returns
 * its id. With `preserveSet`, uses only those that preserve successful behaviour, if the Dataset has any. Throws like
 * `createEvaluation`: 422 if nothing was held out.
 */
export async function startEvaluation(ctx: Ctx, choice: Choice): Promise<string> {
  const input = { maxRows: ROWS_DEFAULT, ...choice, kind: "examples" as const };
  const prepared = await prepareEvaluation(ctx, input);
  return inTransaction(ctx, (tx) => insertEvaluation(tx, input, prepared));
}
