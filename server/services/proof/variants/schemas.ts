import { z } from "zod";
import { ACTOR_KINDS } from "@/db/schema/enumerations";
import { filledText, idInput, pageInput, queryBoolean, queryInteger } from "@/server/platform/schemas";
import {
  changedWorkItemReply,
  handOffInput as findingHandOff,
  workItemReply,
} from "@/server/services/diagnostics/work-items/schemas";
import { type BaseModelChoice, baseModelInput } from "@/server/services/serving/deployments/schemas";
import { evaluation, promptMessage, ROWS_DEFAULT, ROWS_MAX } from "../evaluations/schemas";

const SEEN_MAX = 500;
const TOOLS_MAX = 128;
const TEXT_MAX = 200_000;
export const EFFORTS = ["minimal", "low", "medium", "high"] as const;

/** What is sent besides the messages; what is missing is left to the model's endpoint. */
const parameters = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().gt(0).max(1).optional(),
  /** The most tokens of an answer. */
  maxTokens: z.int().min(1).max(100_000).optional(),
  reasoningEffort: z.enum(EFFORTS).optional(),
});
export type VariantParameters = z.infer<typeof parameters>;

/** What a variant changes of a recorded request. */
const changes = {
  /** A model connection of the project. */
  connectionId: idInput.optional(),
  /** Instead of a connection: a running deployment of the project, by its id or name. */
  deploymentId: idInput.optional(),
  /** Instead: a base model, which a trainer serves while the variant is tried and proven. It takes no traffic. */
  baseModel: baseModelInput.optional(),
  /** The model's name at the connection. Others have their own. */
  model: filledText(200, "Enter the model's name.").optional(),
  /**
   * The recorded system prompt from which `systemPrompt` was written. Where a conversation's is another, filled in for each call,
   * the difference between the two is applied to it. `null`: `systemPrompt` replaces whatever is recorded.
   */
  basedOn: z.string().max(TEXT_MAX).nullable().default(null),
  /** `null`: as recorded. */
  systemPrompt: z.string().max(TEXT_MAX).nullable().default(null),
  parameters: parameters.default({}),
  /** New descriptions of tools, by the tool's name. */
  toolDescriptions: z
    .record(z.string().min(1).max(200), z.string().max(10_000))
    .refine((tools) => Object.keys(tools).length <= TOOLS_MAX, `At most ${TOOLS_MAX} tools.`)
    .meta({ maxProperties: TOOLS_MAX })
    .default({}),
};

type ChosenEndpoint = {
  connectionId?: string | undefined;
  deploymentId?: string | undefined;
  baseModel?: BaseModelChoice | undefined;
  model?: string | undefined;
};
/** A connection with a model's name, a deployment, or a base model. */
const hasOneEndpoint = ({ connectionId, deploymentId, baseModel, model }: ChosenEndpoint) =>
  [connectionId, deploymentId, baseModel].filter((one) => one !== undefined).length === 1 &&
  (connectionId === undefined || model !== undefined);
const ONE_ENDPOINT = { message: "Send either connectionId and model, or deploymentId, or baseModel." };
const without = (...fields: string[]) => ({ anyOf: fields.map((field) => ({ required: [field] })) });
/** The same as JSON Schema. */
const ONE_ENDPOINT_SCHEMA = {
  oneOf: [
    { required: ["connectionId", "model"], not: without("deploymentId", "baseModel") },
    { required: ["deploymentId"], not: without("connectionId", "baseModel") },
    { required: ["baseModel"], not: without("connectionId", "deploymentId") },
  ],
};

export const createVariantInput = z
  .strictObject({
    name: filledText(120, "Enter a name."),
    ...changes,
    /** What it is meant to change. */
    note: z.string().trim().max(2_000).default(""),
    /** The Finding that it is written for. */
    findingId: idInput.nullable().default(null),
    /** Conversations that its author had open: a proof leaves them out. */
    seenConversationIds: z
      .array(idInput)
      .max(SEEN_MAX)
      .transform((ids) => [...new Set(ids)])
      .default([]),
  })
  .refine(({ basedOn, systemPrompt }) => basedOn === null || systemPrompt !== null, {
    message: "Is only allowed with a system prompt.",
    path: ["basedOn"],
  })
  .refine(hasOneEndpoint, ONE_ENDPOINT)
  .meta({
    ...ONE_ENDPOINT_SCHEMA,
    anyOf: [
      { properties: { systemPrompt: { type: "string" } }, required: ["systemPrompt"] },
      { properties: { basedOn: { type: "null" } } },
    ],
    examples: [
      {
        name: "Ask before cancelling",
        connectionId: "conn_0199b2f0c0de7abc8def0123456789ab",
        model: "gpt-5-mini",
        systemPrompt: "You are a shop assistant. Ask before you cancel an order.",
      },
    ],
  });

export const variantIdInput = z.strictObject({ variantId: idInput });
export const listVariantsInput = z.strictObject({
  findingId: idInput.optional().describe("Only variants that were written for this Finding."),
  ...pageInput,
});

const baseModel = z.object({ id: z.string(), revision: z.string().nullable(), source: z.enum(["hub", "local"]) });

/** One version of a variant; it never changes. Times are Unix ms. */
export const variant = z.object({
  id: z.string(),
  name: z.string(),
  /** From 1 within the name. */
  version: z.int(),
  /** `null` for a deployment or a base model. */
  connectionId: z.string().nullable(),
  /** `null` once the connection was deleted, and for a deployment or a base model. */
  connectionName: z.string().nullable(),
  /** The deployment that answers; `null` for anything else. */
  deploymentId: z.string().nullable(),
  /** The base model that a trainer serves while it is asked; `null` for anything else. Such a variant takes no traffic. */
  baseModel: baseModel.nullable(),
  /** The model's name at the connection, the deployment's name or the base model's id. */
  model: z.string(),
  basedOn: z.string().nullable(),
  systemPrompt: z.string().nullable(),
  parameters,
  toolDescriptions: z.record(z.string(), z.string()),
  note: z.string(),
  findingId: z.string().nullable(),
  seenConversationIds: z.array(z.string()),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
});
export type Variant = z.infer<typeof variant>;
export const variantReply = z.object({ variant });
/** The reply for callers who may create variants but not read them. */
export const requestedVariantReply = z.object({
  variant: variant.pick({ id: true, name: true, version: true, createdAt: true }),
});
export const variantsReply = z.object({ variants: z.array(variant), nextCursor: z.string().nullable() });

/** A recorded answer that a variant is tried on: of a conversation, by its zero-based index. */
export const tryVariantInput = z
  .strictObject({
    conversationId: idInput,
    messageIndex: z.int().min(0),
    ...changes,
  })
  .refine(hasOneEndpoint, ONE_ENDPOINT)
  .meta({
    ...ONE_ENDPOINT_SCHEMA,
    examples: [
      {
        conversationId: "conv_0199b2f0c0de7abc8def0123456789ab",
        messageIndex: 1,
        connectionId: "conn_0199b2f0c0de7abc8def0123456789ab",
        model: "gpt-5-mini",
      },
    ],
  });
export const triedAnswer = z.object({
  content: z.string(),
  finishReason: z.enum(["stop", "length"]),
  /** `null`: the endpoint reports none. */
  tokens: z.object({ input: z.int(), output: z.int() }).nullable(),
  /** US dollars; `null` for a model without a price. */
  cost: z.number().nullable(),
});
export const tryVariantReply = z.object({
  prompt: z.array(promptMessage),
  recorded: z.string(),
  /** `null`: it could not be asked, as `problem` says. */
  answer: triedAnswer.nullable(),
  problem: z.string().nullable(),
});
/** The reply for callers who may ask but not read conversations. */
export const triedVariantReply = tryVariantReply.pick({ problem: true });

export const faultyTurnsInput = z.strictObject({ findingId: idInput });
export const recordedTurnInput = z.strictObject({
  conversationId: idInput,
  messageIndex: queryInteger(0).describe("The answer's zero-based index in the conversation."),
});
const recordedTurn = z.object({
  conversationId: z.string(),
  messageIndex: z.int(),
  prompt: z.array(promptMessage),
  recorded: z.string(),
  /** The model that was asked; `null` if it was not recorded. */
  model: z.string().nullable(),
  /** The tools that it was given, as far as recorded. */
  tools: z.array(z.object({ name: z.string(), description: z.string().nullable() })),
});
export type RecordedTurn = z.infer<typeof recordedTurn>;
/** Where a variant starts: what was sent, and the answers that it is about. */
export const recordedTurnsReply = z.object({
  turns: z.array(recordedTurn),
  /** Why the answers cannot be given again; `null` if they can. */
  problem: z.string().nullable(),
});

const proofFields = {
  variantId: idInput,
  findingId: idInput.optional().describe("Its conversations are replayed up to the faulty answer."),
  datasetId: idInput.optional().describe("Its held-out Examples are answered."),
  baselineConnectionId: idInput
    .optional()
    .describe(
      "The connection to what runs today. Default: the deployment that runs under the recorded name, the variant's own deployment or base model if that is the recorded one, the variant's connection, or the project's first.",
    ),
  baselineDeploymentId: idInput.optional().describe("Instead: the running deployment, by its id or name."),
  baselineModel: filledText(200)
    .optional()
    .describe(
      "The model that runs today at the connection, and is sent what was recorded. Default: the one recorded most often or, for Examples, the variant's.",
    ),
};
const MAX_ROWS = `Default: ${ROWS_DEFAULT}.`;

export const proveVariantInput = z
  .strictObject({
    ...proofFields,
    /** Only Examples that preserve successful behaviour, if the Dataset has any. */
    preserveSetOnly: z.boolean().default(false),
    maxRows: z.int().min(1).max(ROWS_MAX).default(ROWS_DEFAULT),
    /** US dollars after which nothing more is asked. Default: no limit besides the connection's. */
    maxCost: z.number().gt(0).max(100_000).optional(),
  })
  .refine(({ findingId, datasetId }) => (findingId === undefined) !== (datasetId === undefined), {
    message: "Send either findingId or datasetId.",
  })
  .refine(
    ({ baselineConnectionId, baselineDeploymentId }) =>
      baselineConnectionId === undefined || baselineDeploymentId === undefined,
    { message: "Send either baselineConnectionId or baselineDeploymentId." },
  )
  .meta({
    oneOf: [{ required: ["findingId"] }, { required: ["datasetId"] }],
    not: { required: ["baselineConnectionId", "baselineDeploymentId"] },
    examples: [{ findingId: "fnd_0199b2f0c0de7abc8def0123456789ab", maxCost: 2 }],
  });

export const estimateProofInput = z.strictObject({
  ...proofFields,
  preserveSetOnly: queryBoolean()
    .default(false)
    .describe("Only Examples that preserve successful behaviour, if the Dataset has any."),
  maxRows: queryInteger(1, ROWS_MAX).default(ROWS_DEFAULT).describe(MAX_ROWS),
});

export const proofEstimate = z.object({
  rows: z.int(),
  /** Requests to both models, without those whose answers are known. */
  requests: z.int(),
  known: z.int(),
  baseline: z.object({
    connectionId: z.string().nullable(),
    deploymentId: z.string().nullable(),
    baseModel: baseModel.nullable(),
    model: z.string(),
  }),
  /** US dollars, for as long answers as the recorded ones; `null` if a model has no price. */
  cost: z.number().nullable(),
  /** Models without a price: a limit in US dollars cannot be kept for them. */
  unpriced: z.array(z.string()),
  /** Rows whose system prompt the change cannot be applied to. */
  notApplied: z.int(),
});
export type ProofEstimate = z.infer<typeof proofEstimate>;
export const proofEstimateReply = z.object({ estimate: proofEstimate });
export const provenReply = z.object({ evaluation });

export const handOffInput = z.strictObject({ variantId: idInput });
export const handOffReply = z.object({
  /** Markdown for a coding agent or a ticket: the change as a diff, the evidence, and answers before and after. */
  text: z.string(),
});

/** Where the Finding's ticket is created if there is none. */
export const handOffAsTicketInput = findingHandOff.omit({ findingId: true }).partial().extend({ variantId: idInput });
export const handOffAsTicketReply = workItemReply.extend({
  /** Whether the ticket has the text: not while the tracker has not created the ticket. */
  isAdded: z.boolean(),
});
/** The reply for callers who may not read diagnostics. */
export const handedOffReply = changedWorkItemReply.extend({ isAdded: z.boolean() });
