import { z } from "zod";
import { ACTOR_KINDS, PROMPT_KINDS, PROMPT_ROLES, SEVERITIES } from "@/db/schema/enumerations";
import type { PromptContent } from "@/db/schema/json";
import { filledText, pageInput, pagination, queryInteger, queryUnixMs, sortOrder } from "@/server/platform/schemas";
import { filledLength, fillTemplate, variablesOf } from "@/server/platform/text/template";

export type { PromptContent };
export { PROMPT_ROLES };

/** Prompts of a project, versions and labels of a prompt, and variables of a version. */
export const PROMPTS_MAX = 500;
export const VERSIONS_MAX = 1000;
export const LABELS_MAX = 20;
export const VARIABLES_MAX = 100;
const MESSAGES_MAX = 100;
const CHARACTERS_MAX = 100_000;
/** Characters of a prompt that is filled in. */
export const FILLED_MAX = 1_000_000;
const INTEGER_MAX = 2_147_483_647;

/** What a client gets that does not choose. */
export const DEFAULT_LABEL = "production";
/** Computed: the newest version. */
export const LATEST = "latest";
/** Days of which the list counts calls. */
export const RECENT_DAYS = 7;

export const PROMPT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
export const PROMPT_LABEL = /^[a-z0-9][a-z0-9._-]{0,39}$/;

const promptName = z
  .string()
  .regex(PROMPT_NAME, "Use 1 to 100 letters, digits, dots, underscores and hyphens.")
  .meta({ examples: ["refund"], description: "The name of the prompt: what spans call it, too." });
const labelName = z
  .string()
  .regex(PROMPT_LABEL, "Use 1 to 40 lower-case letters, digits, dots, underscores and hyphens.")
  .meta({ examples: ["production"] });
const versionNumber = z.int().min(1).max(INTEGER_MAX);

const text = z.string().max(CHARACTERS_MAX).regex(/\S/, "Must not be blank.");
const chatMessage = z.strictObject({
  role: z.enum(PROMPT_ROLES).describe("Who says it."),
  content: text.describe("What is said, with variables as `{{name}}`."),
});
const contentInput = z
  .union([text, z.array(chatMessage).min(1).max(MESSAGES_MAX)])
  .describe(
    `Text, or messages of a chat, with variables as \`{{name}}\`: at most ${VARIABLES_MAX} of letters, digits and underscores. Other braces are text.`,
  )
  .meta({ examples: ["Answer {{question}} in two sentences."] });
const message = filledText(500).describe("What changed, for people.");
const labels = z
  .array(labelName)
  .max(LABELS_MAX)
  .describe("Labels that are moved to the new version at once.")
  .meta({ examples: [["staging"]] });

/** The texts of a prompt, in order. */
export const textsIn = (content: PromptContent): string[] =>
  typeof content === "string" ? [content] : content.map((one) => one.content);

export const kindOf = (content: PromptContent) => (typeof content === "string" ? ("text" as const) : ("chat" as const));
export const variablesIn = (content: PromptContent): string[] => variablesOf(textsIn(content));

/** Returns the prompt with its variables replaced. Those without a value stay as they are. */
export const filledPrompt = (content: PromptContent, values: Readonly<Record<string, string>>): PromptContent =>
  typeof content === "string"
    ? fillTemplate(content, values)
    : content.map((one) => ({ ...one, content: fillTemplate(one.content, values) }));

export const filledCharacters = (content: PromptContent, values: Readonly<Record<string, string>>): number =>
  textsIn(content).reduce((sum, one) => sum + filledLength(one, values), 0);

const ofActor = {
  actorKind: z.enum(ACTOR_KINDS).describe("Who did it: a person, a key or a job."),
  actorId: z.string().nullable().describe("Id of the member or the API key."),
};

const content = z
  .union([z.string(), z.array(z.object({ role: z.enum(PROMPT_ROLES), content: z.string() }))])
  .describe("Text, or messages of a chat, with variables as `{{name}}`.");

const versionFields = {
  version: z.int().describe("From 1. A version never changes."),
  labels: z.array(z.string()).describe("Labels that point to this version; `latest` is the newest version's."),
  variables: z.array(z.string()).describe("Names of the variables in the content, in order of appearance."),
  message: z.string().nullable().describe("What changed, for people."),
  ...ofActor,
  createdAt: z.number().describe("Unix milliseconds."),
};
export const promptVersion = z.object(versionFields);
export type PromptVersion = z.infer<typeof promptVersion>;
const actorName = z.string().nullable().describe("The member's address or the key's name, while there is one.");
const listedVersion = promptVersion.extend({ actorName });
export type ListedVersion = z.infer<typeof listedVersion>;
const pointers = z
  .array(z.object({ label: z.string(), version: z.int() }))
  .describe("The version that each label points to; `latest` is not among them.");
export type Pointer = z.infer<typeof pointers>[number];

export const prompt = z.object({
  name: z.string().describe("The name of the prompt."),
  kind: z.enum(PROMPT_KINDS).describe("`text`: one text; `chat`: messages."),
  chosenBy: z
    .enum(["version", "label", "latest"])
    .describe("Why this version: it was asked for, a label points to it, or it is the newest."),
  label: z.string().nullable().describe("The label by which it was chosen, if it was."),
  content,
  ...versionFields,
});
export type Prompt = z.infer<typeof prompt>;

const recentCalls = z
  .object({ count: z.int(), more: z.boolean().describe("`count` is where counting stopped.") })
  .nullable()
  .describe(
    `Model calls of the last ${RECENT_DAYS} days that name it; \`null\` for callers that may not read conversations.`,
  );
export const listedPrompt = z.object({
  name: z.string().describe("The name of the prompt."),
  kind: z.enum(PROMPT_KINDS).describe("`text`: one text; `chat`: messages."),
  latestVersion: z.int().describe("The number of the newest version."),
  labels: pointers,
  recentCalls,
  createdAt: z.number().describe("Unix milliseconds."),
  updatedAt: z.number().describe("When a version was added or a label moved, Unix milliseconds."),
});
export type ListedPrompt = z.infer<typeof listedPrompt>;

export const PROMPT_SORTS = ["changed", "name"] as const;
export const listPromptsInput = z.strictObject({
  q: z.string().max(100).optional().describe("Only prompts whose name contains this, in any case."),
  sort: z.enum(PROMPT_SORTS).default("changed").describe("By the last change, or by name."),
  order: sortOrder.default("desc"),
  ...pageInput,
});
export const promptsReply = z.object({ prompts: z.array(listedPrompt), pagination });

export const createPromptInput = z.strictObject({
  name: promptName,
  content: contentInput,
  message: message.optional(),
  labels: labels.default([]),
});
export const createPromptVersionInput = z.strictObject({
  promptName,
  content: contentInput,
  message: message.optional(),
  labels: labels.default([]),
});
export const promptVersionReply = z.object({
  prompt: z.object({ name: z.string(), kind: z.enum(PROMPT_KINDS), ...versionFields }),
});

const chosen = {
  promptName,
  label: labelName
    .optional()
    .describe("The label to follow, or `latest`. Default: `production`, and without that label the newest version."),
  version: queryInteger(1, INTEGER_MAX).optional().describe("The version to return, whatever its labels."),
};
export const getPromptInput = z.strictObject(chosen);
export const promptReply = z.object({ prompt });

export const promptNameInput = z.strictObject({ promptName });
export const listPromptVersionsInput = z.strictObject({ promptName, ...pageInput });
export const promptVersionsReply = z.object({
  name: z.string(),
  kind: z.enum(PROMPT_KINDS),
  latestVersion: z.int().describe("The number of the newest version."),
  labels: pointers,
  updatedAt: z.number().describe("When a version was added or a label moved, Unix milliseconds."),
  versions: z.array(listedVersion),
  pagination,
});

export const renderPromptInput = z.strictObject({
  ...chosen,
  variables: z
    .record(z.string().max(60), z.string().max(CHARACTERS_MAX))
    .default({})
    .describe("The value of each variable. Others than those of the prompt are ignored.")
    .meta({ examples: [{ question: "Where is my order?" }] }),
});
export const renderPromptReply = z.object({
  name: z.string(),
  version: z.int(),
  kind: z.enum(PROMPT_KINDS),
  content: content.describe("The prompt with its variables replaced."),
});

export const moveLabelInput = z.strictObject({
  promptName,
  label: labelName.describe("The label to move; it is created if it does not exist. `latest` is computed (422)."),
  version: versionNumber.nullable().describe("Where it points from now on; `null` removes it."),
  expectedVersion: versionNumber
    .nullable()
    .optional()
    .describe("Where it has to point now, `null` for a new label: else nothing changes (409)."),
});
export const movedLabelReply = z.object({
  label: z.string(),
  version: z.int().nullable(),
  previousVersion: z.int().nullable().describe("Where it pointed before; `null` for a new label."),
});
export const labelEvent = z.object({
  id: z.string().describe("Id of the event."),
  label: z.string().describe("The label."),
  fromVersion: z.int().nullable().describe("Where it pointed before; `null` for a new label."),
  toVersion: z.int().nullable().describe("Where it pointed then; `null` if it was removed."),
  ...ofActor,
  actorName,
  createdAt: z.number().describe("When it moved, Unix milliseconds."),
});
export type LabelEvent = z.infer<typeof labelEvent>;
export const labelEventsReply = z.object({ events: z.array(labelEvent), pagination });

/** Newest calls of a prompt of which its usage is counted. */
export const CALLS_COUNTED = 50_000;
/** Versions whose usage is listed, and Findings of each. */
export const USED_VERSIONS_MAX = 200;
export const FINDINGS_SHOWN = 5;

export const promptUsageInput = z.strictObject({
  promptName,
  from: queryUnixMs.describe("Unix milliseconds, inclusive."),
  to: queryUnixMs.describe("Unix milliseconds, exclusive."),
});
const usedFinding = z.object({
  id: z.string(),
  title: z.string(),
  severity: z.enum(SEVERITIES),
  conversations: z.int().describe("Conversations of the version in which it occurred."),
});
export const versionUsage = z.object({
  version: z
    .string()
    .nullable()
    .describe("As the calls' spans name it, which may be none of the versions here; `null`: without one."),
  calls: z.int().describe("Model calls."),
  cost: z
    .number()
    .nullable()
    .describe("US dollars, of calls with a known cost; `null` if there is none, or without `model-pricing:read`."),
  unpricedCalls: z.int().describe("Calls without a known cost, which `cost` leaves out."),
  firstAt: z.number().describe("The first of these calls, Unix milliseconds."),
  lastAt: z.number().describe("The last of these calls, Unix milliseconds."),
  conversations: z.int().describe("Conversations that began in the time range and have such a call."),
  withFeedback: z.int().describe("Those of them on which a user gave feedback."),
  thumbsDown: z.int().describe("Those of them that a user gave a thumbs down."),
  findings: z
    .array(usedFinding)
    .nullable()
    .describe(`The ${FINDINGS_SHOWN} Findings in most of them; \`null\` without \`diagnostics:read\`.`),
});
export type VersionUsage = z.infer<typeof versionUsage>;
export const promptUsageReply = z.object({
  name: z.string(),
  versions: z.array(versionUsage).describe("The versions that calls named, the one called last first."),
  sampled: z.boolean().describe("Whether there are more calls than are counted."),
});
