import { z } from "zod";
import { ACTOR_KINDS, EXPORT_STATUSES, GGUF_QUANTIZATIONS, MODEL_EXPORT_FORMATS } from "@/db/schema/enumerations";
import { idInput, oneOrSeveral, pageInput } from "@/server/platform/schemas";
import { trainerProblem } from "@/server/services/trainers/schemas";
import { destinationSettings, requireQuantization, tokenizerPre } from "@/server/services/training/settings/schemas";

export { MODEL_EXPORT_FORMATS as EXPORT_FORMATS };

/** A model on the public hub: `owner/name`. */
const hubModel = z.strictObject({
  id: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/, "A model on the hub, such as Qwen/Qwen3-0.6B."),
  /** A commit, branch or tag. Default: `main`. */
  revision: z.string().min(1).max(200).optional(),
});

/** Exactly one of `checkpointId` and `hubModel`; `quantization` for `gguf` only. */
export const createExportInput = z
  .strictObject({
    checkpointId: idInput.optional(),
    hubModel: hubModel.optional(),
    format: z.enum(MODEL_EXPORT_FORMATS),
    quantization: z.enum(GGUF_QUANTIZATIONS).optional(),
    /** Of a checkpoint in the format `gguf`. Stored with the checkpoint, for later builds too. */
    tokenizerPre: tokenizerPre.optional(),
    destination: destinationSettings,
    /** Publishes it even if its parity certificate failed. */
    force: z.boolean().default(false),
  })
  .superRefine((given, check) => {
    requireQuantization(given, check);
    if (given.tokenizerPre !== undefined && (given.format !== "gguf" || given.checkpointId === undefined)) {
      const message = "Only a checkpoint that is converted to GGUF has a pre-tokenizer to set.";
      check.addIssue({ code: "custom", path: ["tokenizerPre"], message });
    }
    const isOne = (given.checkpointId === undefined) !== (given.hubModel === undefined);
    if (isOne) return;
    check.addIssue({ code: "custom", path: ["checkpointId"], message: "Name a checkpoint or a model on the hub." });
  })
  .meta({
    examples: [
      {
        checkpointId: "ckpt_1",
        format: "gguf",
        quantization: "q4_k_m",
        destination: { connectionId: "conn_1", repoId: "acme/support-7b-gguf", private: true },
      },
    ],
  });
export const exportIdInput = z.strictObject({ exportId: idInput });
export const listExportsInput = z.strictObject({
  status: oneOrSeveral(z.enum(EXPORT_STATUSES)).optional(),
  checkpointId: idInput.optional(),
  ...pageInput,
});

/** The publication of a model on a hub. Times are Unix ms. */
export const modelExport = z.object({
  id: z.string(),
  /** What is published: a checkpoint, or a hub model in another format. */
  checkpointId: z.string().nullable(),
  hubModel: z.object({ id: z.string(), revision: z.string().nullable() }).nullable(),
  format: z.enum(MODEL_EXPORT_FORMATS),
  quantization: z.string().nullable(),
  destination: z.object({
    connectionId: z.string(),
    /** The hub's address. */
    endpoint: z.string(),
    repoId: z.string(),
    private: z.boolean(),
    revision: z.string(),
  }),
  /** In `preflight` the token and the repository are checked, and the answers are compared if they have not been. */
  status: z.enum(EXPORT_STATUSES),
  progress: z.object({ bytesDone: z.number(), bytesTotal: z.number().nullable() }).nullable(),
  /** The single commit that contains all of it. */
  commitOid: z.string().nullable(),
  url: z.string().nullable(),
  files: z.array(z.object({ path: z.string(), size: z.number(), sha256: z.string() })),
  error: trainerProblem.nullable(),
  /** The certificate that allows it, or that it is waiting for. */
  certificateId: z.string().nullable(),
  /** Whether it was published regardless of its certificate. */
  forced: z.boolean(),
  /** The training job that planned it. */
  jobId: z.string().nullable(),
  /** When it was cancelled, while the trainer has not confirmed that. */
  cancelRequestedAt: z.number().nullable(),
  /** Since when its trainer has been unreachable. */
  staleSince: z.number().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  updatedAt: z.number(),
});
export type ModelExport = z.infer<typeof modelExport>;
export const exportReply = z.object({ export: modelExport });
export const exportsReply = z.object({ exports: z.array(modelExport), nextCursor: z.string().nullable() });
/** The reply for callers who may export but not read. */
export const requestedExportReply = z.object({
  export: modelExport.pick({ id: true, status: true, createdAt: true }),
});
