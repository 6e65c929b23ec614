import { z } from "zod";
import { changing, filledText, idInput, pageInput } from "@/server/platform/schemas";
import { deploymentName } from "@/server/services/serving/deployments/schemas";

/** Maximum aliases per project. */
export const ALIASES_MAX = 200;
export const TARGETS_MAX = 8;
export const RETRIES_MAX = 3;
export const FIRST_TOKEN_SECONDS_MAX = 600;
export const TOTAL_SECONDS_MAX = 1_800;
const OUTPUT_TOKENS_MAX = 1_000_000;
export const MODEL_CHARACTERS = 200;

export const ALIAS_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;

const connectionId = idInput.describe("Id of a model connection.");
const model = filledText(MODEL_CHARACTERS, "Enter the model’s name.").describe("The model’s name at its endpoint.");

/** Where a call of an alias goes: a model behind a connection, or the deployment that runs under a name. */
const targetInput = z.union([
  z.strictObject({ connectionId, model }),
  z.strictObject({ deployment: deploymentName.describe("The name under which a deployment runs.") }),
]);
export type TargetInput = z.infer<typeof targetInput>;

const fields = {
  name: z
    .string()
    .regex(ALIAS_NAME, "Use 1 to 100 letters, digits, dots, colons, hyphens and underscores.")
    .describe("What callers send as `model`. It comes before a deployment of the same name.")
    .meta({ examples: ["fast"] }),
  targets: z
    .array(targetInput)
    .min(1, "Add a model.")
    .max(TARGETS_MAX)
    .describe("What answers its calls, in order: the next is asked if one fails before the first content.")
    .meta({ examples: [[{ deployment: "shop-agent" }]] }),
  retries: z.int().min(0).max(RETRIES_MAX).describe("How often each target is asked again before the next."),
  firstTokenSeconds: z
    .int()
    .min(1)
    .max(FIRST_TOKEN_SECONDS_MAX)
    .nullable()
    .describe("Time limit for the first content of a streamed answer, of each attempt; `null`: none."),
  totalSeconds: z
    .int()
    .min(1)
    .max(TOTAL_SECONDS_MAX)
    .nullable()
    .describe("Time limit for the whole call, with all its attempts; `null`: none."),
  maxOutputTokens: z
    .int()
    .min(1)
    .max(OUTPUT_TOKENS_MAX)
    .nullable()
    .describe("Maximum tokens of an answer, for calls that set no limit themselves; `null`: as the endpoint has it."),
};

const target = z.object({
  connectionId: z.string().nullable().describe("The model connection; `null` for a deployment."),
  model: z.string().nullable().describe("The model’s name at its endpoint; `null` for a deployment."),
  deployment: z.string().nullable().describe("The deployment’s name; `null` for a connection’s model."),
  callable: z
    .boolean()
    .describe("Whether calls reach it. Deleted connections and names under which no deployment runs are skipped."),
});
export type AliasTarget = z.infer<typeof target>;

/** The experiment of an alias that runs. */
const runningExperiment = z.object({
  id: z.string().describe("Id of the experiment."),
  name: z.string(),
  share: z.int().describe("Percent of the conversations that are answered with the variant."),
  variantId: z.string(),
  variantName: z.string(),
  variantVersion: z.int(),
});

export const gatewayAlias = z.object({
  id: z.string().describe("Id of the alias."),
  ...fields,
  targets: z.array(target).describe("What answers its calls, in order."),
  experiment: runningExperiment.nullable().describe("The variant that is tried on a share of its conversations."),
  createdAt: z.number().describe("Unix milliseconds."),
  updatedAt: z.number().describe("Unix milliseconds."),
});
export type GatewayAlias = z.infer<typeof gatewayAlias>;

export const createGatewayAliasInput = z
  .strictObject({
    ...fields,
    retries: fields.retries.default(0),
    firstTokenSeconds: fields.firstTokenSeconds.default(null),
    totalSeconds: fields.totalSeconds.default(null),
    maxOutputTokens: fields.maxOutputTokens.default(null),
  })
  .meta({ examples: [{ name: "fast", targets: [{ deployment: "shop-agent" }], retries: 1 }] });
export const gatewayAliasIdInput = z.strictObject({ gatewayAliasId: idInput });
export const updateGatewayAliasInput = changing(
  z.strictObject({
    gatewayAliasId: idInput,
    name: fields.name.optional(),
    targets: fields.targets.optional(),
    retries: fields.retries.optional(),
    firstTokenSeconds: fields.firstTokenSeconds.optional(),
    totalSeconds: fields.totalSeconds.optional(),
    maxOutputTokens: fields.maxOutputTokens.optional(),
  }),
  ["gatewayAliasId"],
);
export const listGatewayAliasesInput = z.strictObject(pageInput);
export const gatewayAliasReply = z.object({ alias: gatewayAlias });
export const gatewayAliasesReply = z.object({ aliases: z.array(gatewayAlias), nextCursor: z.string().nullable() });
