import { z } from "zod";
import { CHECKPOINT_KINDS, CHECKPOINT_STATES, PARITY_VERDICTS } from "@/db/schema/enumerations";
import { idInput, pageInput } from "@/server/platform/schemas";

export const listCheckpointsInput = z.strictObject({ jobId: idInput.optional(), ...pageInput });
export const checkpointIdInput = z.strictObject({ checkpointId: idInput });
export const checkpointFileInput = z.strictObject({
  checkpointId: idInput,
  /** As in the checkpoint's `files`. */
  path: z.string().min(1).max(500),
});

/** The newest ready certificate of a checkpoint. */
export const checkpointParity = z.object({
  certificateId: z.string(),
  verdict: z.enum(PARITY_VERDICTS),
  createdAt: z.number(),
});

/** A trained state of a model. Times are Unix ms. */
export const checkpoint = z.object({
  id: z.string(),
  jobId: z.string(),
  jobName: z.string(),
  attempt: z.int(),
  stepNumber: z.int(),
  epoch: z.number().nullable(),
  kind: z.enum(CHECKPOINT_KINDS),
  state: z.enum(CHECKPOINT_STATES),
  isBest: z.boolean(),
  isFinal: z.boolean(),
  /** Whether a job can be resumed from it. */
  resumable: z.boolean(),
  /** Whether its training is a recording, like the sample's: no trainer has it, so it can only be viewed and downloaded. */
  recorded: z.boolean(),
  /** Such as `train_loss` and `eval_loss`. */
  metrics: z.record(z.string(), z.number().nullable()),
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string() })),
  bytes: z.number(),
  contentSha256: z.string(),
  baseModel: z.object({ id: z.string(), revision: z.string().nullable() }),
  parentCheckpointId: z.string().nullable(),
  /** How to serve it: chat template, stop tokens, context. `null` until it has generated an answer. */
  inferenceProfile: z.record(z.string(), z.unknown()).nullable(),
  /** Its newest comparison with merged, quantized and served forms; `null` if there is none. */
  parity: checkpointParity.nullable(),
  /** When text that it was trained on was deleted with its user or conversation. */
  taintedAt: z.number().nullable(),
  createdAt: z.number(),
});
export type Checkpoint = z.infer<typeof checkpoint>;
export const checkpointReply = z.object({ checkpoint });
export const checkpointsReply = z.object({ checkpoints: z.array(checkpoint), nextCursor: z.string().nullable() });
