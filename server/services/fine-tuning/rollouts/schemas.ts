import { z } from "zod";
import { ROLLOUT_OUTCOMES } from "@/db/schema/enumerations";
import { idInput, pageInput } from "@/server/platform/schemas";

/** What is looked at before a finished job's checkpoint is deployed by itself, in this order. */
export const GATES = ["checkpoint", "validation_loss", "parity", "preserved_answers", "deployment"] as const;
export const GATE_STATUSES = ["passed", "failed", "waiting", "not_applicable"] as const;

export const gate = z.object({
  gate: z.enum(GATES),
  status: z.enum(GATE_STATUSES),
  message: z.string(),
  /** What was measured and what was allowed, where that is a number. */
  measured: z.number().nullable(),
  allowed: z.number().nullable(),
});
export type Gate = z.infer<typeof gate>;

/** What automatic deployment decided about a finished job. Times are Unix ms. */
export const rolloutDecision = z.object({
  id: z.string(),
  jobId: z.string(),
  checkpointId: z.string().nullable(),
  /** `null` while its gates are being looked at. */
  outcome: z.enum(ROLLOUT_OUTCOMES).nullable(),
  /** The gate that decided, such as `validation_loss`; the sentence for people is `message`. */
  reason: z.string().nullable(),
  message: z.string().nullable(),
  gates: z.array(gate),
  evaluationId: z.string().nullable(),
  certificateId: z.string().nullable(),
  deploymentId: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type RolloutDecision = z.infer<typeof rolloutDecision>;
export const listRolloutDecisionsInput = z.strictObject({ configId: idInput, ...pageInput });
export const rolloutDecisionsReply = z.object({
  decisions: z.array(rolloutDecision),
  nextCursor: z.string().nullable(),
});
