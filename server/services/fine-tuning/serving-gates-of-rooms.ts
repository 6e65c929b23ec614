import { ensureParity } from "./certificates/ensure-parity";
import { readEvaluation } from "./evaluations/read-evaluations";
import { startEvaluation } from "./evaluations/start-evaluation";
import type { ServingGates } from "./serving-gates";

/** The gates as implemented by certificates and evaluations. */
export const SERVING_GATES: ServingGates = {
  ensureParity,
  startComparison: (ctx, asked) => startEvaluation(ctx, { ...asked, preserveSet: true }),
  async readComparison(ctx, id) {
    const { status, comparison, selection, error } = await readEvaluation(ctx, id);
    if (status === "succeeded") {
      const pairs = comparison?.right ?? { n: 0, gained: 0, lost: 0 };
      return { status: "done", pairs, seenOnly: selection?.seenOnly ?? false };
    }
    if (status === "failed" || status === "cancelled")
      return { status: "failed", message: error?.message ?? "The comparison was cancelled." };
    return { status: "waiting" };
  },
};
