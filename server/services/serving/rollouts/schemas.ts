import { z } from "zod";
import { ROLLOUT_OUTCOMES } from "@/db/schema/enumerations";
import { idInput, pageInput } from "@/server/platform/schemas";

/** The gates, in order, that are checked before a finished job's checkpoint is deployed automatically. */
export const GATES = ["checkpoint", "validation_loss", "parity", "preserved_answers", "deployment"] as const;
export const GATE_STATUSES = ["passed", "failed", "waiting", "not_applicable"] as const;

export const gate = z.object({
  gate: z.enum(GATES),
  status: z.enum(GATE_STATUSES),
  message: z.string(),
  /** The measured and the allowed value, if they are numbers. */
  measured: z.number().nullable(),
  allowed: z.number().nullable(),
});
export type Gate = z.infer<typeof gate>;

/** The decision of automatic deployment about a finished job. Times are Unix ms. */
export const rolloutDecision = z.object({
  id: z.string(),
  jobId: z.string(),
  checkpointId: z.string().nullable(),
  /** `null` while its gates are being checked. */
  outcome: z.enum(ROLLOUT_OUTCOMES).nullable(),
  /** The gate that decided, such as `validation_loss`; `message` is the sentence for people. */
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
