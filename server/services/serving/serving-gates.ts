import type { Ctx } from "@/server/platform/context";
import { ensureParity, readEvaluation, startEvaluation } from "@/server/services/proof";
import type { TrainerProblem } from "@/server/services/trainers";
import type { Form } from "./deployments/servable";

/** Whether a form answers like its checkpoint; `waiting` while they are being compared. */
type Parity = {
  status: "passed" | "failed" | "waiting";
  certificateId: string | null;
  problem?: TrainerProblem;
};

/** How often a checkpoint's answers to held-out Examples are right where its baseline's are not, and the reverse. */
type Comparison =
  | { status: "waiting" }
  | { status: "done"; pairs: { n: number; gained: number; lost: number }; seenOnly: boolean }
  | { status: "failed"; message: string };

/** The checks on a checkpoint before it is served, Tests pass in their own. */
export type ServingGates = {
  ensureParity(
    ctx: Ctx,
    input: { checkpointId: string; trainerId: string; form: Form | null; since?: number },
  ): Promise<Parity>;
  /** Starts a comparison over held-out Examples and returns its id. Throws 422 if nothing was held out. */
  startComparison(ctx: Ctx, input: { checkpointId: string; baselineCheckpointId: string }): Promise<string>;
  readComparison(ctx: Ctx, evaluationId: string): Promise<Comparison>;
};

/** The gates that hold in the product: certificates of parity, and evaluations over held-out Examples. */
export const SERVING_GATES: ServingGates = {
  ensureParity,
  startComparison: (ctx, input) => startEvaluation(ctx, { ...input, preserveSet: true }),
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
