import { z } from "zod";
import { BASE_MODEL_SOURCES } from "@/db/schema/enumerations";
import { filledText, idInput } from "@/server/platform/schemas";

/** A model that can be trained: from the catalogue, or added by the project. */
export const baseModel = z.object({
  /** For the project's own models, their id here; `null` for the catalogue's. */
  baseModelId: z.string().nullable(),
  /** A hub's `owner/name`, or a path on the trainer's machine, as used in a job. */
  id: z.string(),
  source: z.enum(BASE_MODEL_SOURCES),
  revision: z.string().nullable(),
  name: z.string(),
  /** An SPDX id or the licence's name; `null` when unknown. */
  license: z.string().nullable(),
  /** Whether its owner requires consent before a download. */
  gated: z.boolean().nullable(),
  /** In billions; `null` when unknown. */
  parameters: z.number().nullable(),
  /** Tokens. */
  contextLength: z.int().nullable(),
  family: z.string().nullable(),
  template: z.object({
    hasTemplate: z.boolean().nullable(),
    /** Whether the trainer can identify the assistant's tokens in it. */
    trainingCompatible: z.boolean().nullable(),
    toolCalls: z.boolean().nullable(),
  }),
  trustRemoteCode: z.boolean(),
  /** The size of its files on the trainers that downloaded it, or of its folder; `null` if no trainer reports it. */
  diskBytes: z.number().nullable(),
  createdAt: z.number().nullable(),
});
export type BaseModel = z.infer<typeof baseModel>;
export const baseModelsReply = z.object({ baseModels: z.array(baseModel) });
export const baseModelReply = z.object({ baseModel });
/** The reply for callers who may add models but not read them. */
export const addedBaseModelReply = z.object({
  baseModel: baseModel.pick({ baseModelId: true, id: true, source: true }),
});

export const listBaseModelsInput = z.strictObject({ q: z.string().max(200).optional() });
export const addBaseModelInput = z
  .strictObject({
    id: z.string().trim().min(1).max(500),
    source: z.enum(BASE_MODEL_SOURCES),
    /** A commit, branch or tag of the hub. Default: `main`. Not for a path. */
    revision: z.string().trim().min(1).max(200).optional(),
    name: filledText(200).optional(),
    license: filledText(100).optional(),
    /** Allows code from the model's repository to run on the trainer. Requires a revision that is a commit. */
    trustRemoteCode: z.boolean().default(false),
  })
  .meta({ examples: [{ id: "acme/support-7b", source: "hub", revision: "main" }] });
export const baseModelIdInput = z.strictObject({ baseModelId: idInput });
