import { z } from "zod";
import { EXAMPLE_SPLITS } from "@/db/schema/enumerations";
import { idInput, queryInteger } from "@/server/platform/schemas";
import { DATASET_FORMATS } from "../formats/schemas";

const selected = {
  datasetId: idInput,
  /** Default: the newest. */
  version: queryInteger(1, 2_147_483_647).optional(),
  split: z.enum(EXAMPLE_SPLITS).optional(),
  tag: z.string().min(1).max(200).optional(),
  /** Words that the Example's messages must all contain. */
  q: z.string().max(500).optional(),
};

export const exportInput = z.strictObject({ ...selected, format: z.enum(DATASET_FORMATS).default("lossless") });
export const exportPreviewInput = z.strictObject(selected);

export const exportPreviewReply = z.object({
  preview: z.object({
    /** The version that would be exported now; 0 for a Dataset without any. */
    version: z.int(),
    /** Number of matching Examples. */
    examples: z.int(),
    /** How many of them, the first ones, were tried in each format, and whether these are all. */
    examined: z.int(),
    complete: z.boolean(),
    formats: z.array(
      z.object({
        format: z.enum(DATASET_FORMATS),
        extension: z.string(),
        /** What the format cannot represent. */
        losses: z.array(z.string()),
        /** Number of examined Examples that would be exported. */
        exported: z.int(),
        skipped: z.array(z.object({ reason: z.string(), examples: z.int() })),
      }),
    ),
  }),
});
export type ExportPreview = z.infer<typeof exportPreviewReply>["preview"];
