import { z } from "zod";
import { idInput, pageInput } from "@/server/platform/schemas";

const share = z
  .int()
  .min(0)
  .max(100)
  .describe(
    "Percent of the conversations that are answered with the variant. A conversation stays in the arm that it got first.",
  );

const counts = z.object({
  baseline: z.int().describe("Conversations that were answered as before."),
  variant: z.int().describe("Conversations that were assigned to the variant."),
  notApplied: z.int().describe("Of those, how many had a call that the variant did not fit, which was sent unchanged."),
});

export const gatewayExperiment = z.object({
  id: z.string().describe("Id of the experiment."),
  name: z.string().describe("The alias’s name at its start, and a number."),
  aliasId: z.string().describe("The alias whose calls it is about; it may have been deleted since."),
  variantId: z.string().describe("The variant that is tried; it may have been deleted since."),
  variantName: z.string(),
  variantVersion: z.int(),
  share,
  arms: z
    .object({ baseline: z.string(), variant: z.string(), notApplied: z.string() })
    .describe(
      "As conversations have them in their filter `arm`, and as `versions.compare` takes them. A conversation with a call that the variant did not fit has the last two.",
    ),
  startedAt: z.number().describe("Unix milliseconds."),
  endedAt: z.number().nullable().describe("Unix milliseconds; `null` while it runs."),
  createdAt: z.number().describe("Unix milliseconds."),
  updatedAt: z.number().describe("Unix milliseconds."),
});
export type GatewayExperiment = z.infer<typeof gatewayExperiment>;

export const startGatewayExperimentInput = z
  .strictObject({ gatewayAliasId: idInput, variantId: idInput, share })
  .meta({ examples: [{ variantId: "var_0199b2f0c0de7abc8def0123456789ab", share: 10 }] });
export const gatewayExperimentIdInput = z.strictObject({ gatewayExperimentId: idInput });
export const updateGatewayExperimentInput = z.strictObject({ gatewayExperimentId: idInput, share });
export const listGatewayExperimentsInput = z.strictObject({
  gatewayAliasId: idInput.optional().describe("Only those of this alias."),
  variantId: idInput.optional().describe("Only those of this variant."),
  ...pageInput,
});
export const gatewayExperimentReply = z.object({ experiment: gatewayExperiment });
export const countedExperimentReply = z.object({ experiment: gatewayExperiment.extend({ counts }) });
export const gatewayExperimentsReply = z.object({
  experiments: z.array(gatewayExperiment),
  nextCursor: z.string().nullable(),
});
