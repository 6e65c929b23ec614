import { z } from "zod";
import { CONNECTION_KINDS, ON_REGRESSION, ON_RESOLUTION, TRACKER_KINDS } from "@/db/schema/enumerations";
import { changing, filledText, idInput, pageInput, pagination } from "@/server/platform/schemas";

export type ConnectionKind = (typeof CONNECTION_KINDS)[number];
export type TrackerKind = (typeof TRACKER_KINDS)[number];
export const isTracker = (kind: string): kind is TrackerKind => TRACKER_KINDS.some((one) => one === kind);
export { CONNECTION_KINDS, TRACKER_KINDS };

/** Not blank, which the pattern expresses in JSON Schema too. */
const line = filledText(200);
const names = z.array(line).max(50);

/** The APIs that models are called through, each with its own messages, its default address, and whose prices apply to an unknown address. */
export const MODEL_DIALECTS = {
  openai: { label: "OpenAI, or compatible", baseUrl: "https://api.openai.com/v1", provider: null },
  anthropic: { label: "Anthropic (Messages)", baseUrl: "https://api.anthropic.com/v1", provider: "anthropic" },
  google: {
    label: "Google (Gemini)",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    provider: "google",
  },
} as const;
export type ModelDialectName = keyof typeof MODEL_DIALECTS;

const modelSettings = z.strictObject({
  /** The API that the endpoint has. Calls are made as for OpenAI's, and translated. */
  dialect: z.enum(Object.keys(MODEL_DIALECTS) as [ModelDialectName, ...ModelDialectName[]]),
  /** The model to call when a request names none. */
  defaultModel: line.nullable(),
  /** Limits on calls, tokens and US dollars per day (UTC); `null`: no limit. */
  dailyCalls: z.int().min(0).max(1_000_000_000).nullable(),
  dailyTokens: z.int().min(0).max(1_000_000_000_000).nullable(),
  dailyUsd: z.number().min(0).max(1_000_000_000).nullable(),
});
const webhookSettings = z.strictObject({
  /** `signed`: JSON with a signature of the Standard Webhooks kind. `slack`: a message for a Slack incoming webhook. */
  format: z.enum(["signed", "slack"]),
});
export type WebhookFormat = z.infer<typeof webhookSettings>["format"];
const trackerSettings = z.strictObject({
  /** Where work items go by default, in the tracker's notation: `owner/repo`, a team key, a project key. */
  defaultDestination: line.nullable(),
  /** The tracker's states that mean open and closed; empty: the tracker's own classification. */
  openStates: names,
  closedStates: names,
  labels: names,
  /** In Liquid; `null`: ours. */
  titleTemplate: z.string().max(500).nullable(),
  bodyTemplate: z.string().max(20_000).nullable(),
  /** What happens to the ticket when its Finding recurs, and when a user resolves the Finding here. */
  onRegression: z.enum(ON_REGRESSION),
  onResolution: z.enum(ON_RESOLUTION),
});
export type TrackerSettings = z.infer<typeof trackerSettings>;
/** With both, the secret is the private key of a GitHub App; with neither, a token. */
const githubSettings = trackerSettings.extend({
  /** The App ID or the client ID. */
  appId: z
    .string()
    .regex(/^[\w.-]{1,100}$/, "Enter the App ID or the client ID.")
    .nullable(),
  /** The id of the App's installation in the account that owns the repositories. */
  installationId: z
    .string()
    .regex(/^\d{1,20}$/, "Enter the number at the end of the installation's address.")
    .nullable(),
});
const jiraSettings = trackerSettings.extend({ issueType: line.nullable() });
export const HUB_USES = ["publish", "download", "both"] as const;
const hubSettings = z.strictObject({
  /**
   * What the token is for: to publish models, to download gated and private base models for the project's training, or both. At
   * most one connection of a project is for downloads.
   */
  use: z.enum(HUB_USES),
});

/** The settings of each kind; all of them are stored. */
export const SETTINGS = {
  model: modelSettings,
  webhook: webhookSettings,
  github: githubSettings,
  gitlab: trackerSettings,
  linear: trackerSettings,
  jira: jiraSettings,
  "model-hub": hubSettings,
} as const satisfies Record<ConnectionKind, z.ZodObject>;

const TRACKER_DEFAULTS: z.infer<typeof trackerSettings> = {
  defaultDestination: null,
  openStates: [],
  closedStates: [],
  labels: [],
  titleTemplate: null,
  bodyTemplate: null,
  onRegression: "reopen",
  onResolution: "close",
};
export const DEFAULT_SETTINGS: { [Kind in ConnectionKind]: z.infer<(typeof SETTINGS)[Kind]> } = {
  model: { dialect: "openai", defaultModel: null, dailyCalls: null, dailyTokens: null, dailyUsd: null },
  webhook: { format: "signed" },
  github: { ...TRACKER_DEFAULTS, appId: null, installationId: null },
  gitlab: TRACKER_DEFAULTS,
  linear: TRACKER_DEFAULTS,
  jira: { ...TRACKER_DEFAULTS, issueType: null },
  "model-hub": { use: "publish" },
};

/** The default base URL of each kind; `null`: it has none, only the owner knows the address. */
export const DEFAULT_BASE_URLS: Record<ConnectionKind, string | null> = {
  model: MODEL_DIALECTS.openai.baseUrl,
  webhook: null,
  github: "https://api.github.com",
  gitlab: "https://gitlab.com/api/v4",
  linear: "https://api.linear.app",
  jira: null,
  "model-hub": "https://huggingface.co",
};

/** Returns the default base URL of a connection with these settings; `null`: it has none. */
export function defaultBaseUrl(kind: ConnectionKind, settings: object): string | null {
  const dialect = "dialect" in settings ? settings.dialect : null;
  const isNamed = kind === "model" && typeof dialect === "string" && Object.hasOwn(MODEL_DIALECTS, dialect);
  return isNamed ? MODEL_DIALECTS[dialect as ModelDialectName].baseUrl : DEFAULT_BASE_URLS[kind];
}

/** Every shape that settings can have. */
const settings = z.union([hubSettings, modelSettings, webhookSettings, jiraSettings, githubSettings, trackerSettings]);
const settingsInput = z.union([
  // First, because it is the example of the API's document: it suits every kind.
  z.strictObject({}),
  modelSettings.partial(),
  webhookSettings.partial(),
  trackerSettings.partial(),
  jiraSettings.partial(),
  githubSettings.partial(),
  hubSettings.partial(),
]);

const isHttp = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const hasUser = (text: string) => URL.canParse(text) && `${new URL(text).username}${new URL(text).password}` !== "";

const baseUrlText = z
  .string()
  .trim()
  .max(2000)
  .meta({ examples: ["https://models.example.com/v1"] });
/** Constraints on an address that JSON Schema cannot express: a form checks them before it sends, `/v1` returns a 422. */
export const baseUrl = baseUrlText
  .refine(isHttp, "Must be an address that begins with https:// (or http://).")
  .refine((text) => !hasUser(text), "Must not contain a user or password: enter them as the secret.")
  .refine((text) => !text.includes("#"), "Must have no fragment.");

export const connectionName = filledText(120, "Enter a name.");

/**
 * Goes into a header verbatim, so it must contain nothing that ends the header. Only a private key, which is never sent, has
 * several lines.
 */
export const connectionSecret = z
  .string()
  .trim()
  .min(1)
  .max(8000)
  .regex(
    /^([\x20-\x7e]+|-----BEGIN [A-Z ]+-----[\x20-\x7e\r\n]+-----END [A-Z ]+-----)$/,
    "Must be printable ASCII characters on one line, or a private key as a PEM file.",
  );

/** How the value of a tracker's own field is entered; a field of any other type cannot be filled in. */
export const TICKET_FIELD_TYPES = ["text", "number", "option", "options", "labels", "user"] as const;
/** An option's or a user's id, a text, a number, or several ids or labels. */
const ticketFieldValue = z.union([filledText(2000), z.number(), z.array(line).min(1).max(50)]);
export type TicketFieldValue = z.infer<typeof ticketFieldValue>;
/** What is entered into the fields of new tickets, by the tracker's ids of the fields. */
export type TicketFieldValues = Readonly<Record<string, TicketFieldValue>>;
/** Those of all destinations. */
const ticketFieldValues = z.record(z.string(), z.record(z.string(), ticketFieldValue));
export type StoredTicketFields = z.infer<typeof ticketFieldValues>;

/** A field that a destination has for new tickets beyond those that Whetstone fills in. */
export const ticketField = z.object({
  /** Such as `customfield_10042`. */
  id: z.string(),
  name: z.string(),
  /** Whether the tracker refuses tickets without a value. */
  required: z.boolean(),
  /** `null`: Whetstone cannot fill in a field of this type. */
  type: z.enum(TICKET_FIELD_TYPES).nullable(),
  /** The tracker's name of the type. */
  trackerType: z.string(),
  /** What can be chosen for `option` and `options`; for `user`, up to 200 of the users. */
  options: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type TicketField = z.infer<typeof ticketField>;

/** The result of a connection test; `ok` when there were no problems. */
export const connectionTest = z.object({ ok: z.boolean(), problems: z.array(z.string()) });

/** A connection as shown to callers who may manage it: never its secret. Times are Unix ms. */
export const connection = z.object({
  id: z.string(),
  kind: z.enum(CONNECTION_KINDS),
  name: z.string(),
  baseUrl: z.string(),
  settings,
  /** Whether a secret is stored. */
  secretSet: z.boolean(),
  /** Whether a tracker's webhook has an address and a secret here. */
  webhookSet: z.boolean(),
  /** The last test of the connection as it is now; `null` until tested, and again after a change that affects the test. */
  lastTest: connectionTest.extend({ at: z.number() }).nullable(),
  /** The destinations whose changes could not be read at the last attempt, and why; empty if all is well. */
  pollProblems: z.array(z.object({ destination: z.string(), problem: z.string() })),
  /** What new tickets get in fields that their destination has beyond ours, by destination and field id. */
  ticketFields: ticketFieldValues,
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type Connection = z.infer<typeof connection>;

/** What every member of the project sees of a connection. */
export const namedConnection = connection.pick({ id: true, kind: true, name: true });
const shownConnection = z.union([connection, namedConnection]);

export const listConnectionsInput = z.strictObject(pageInput);
export const connectionsReply = z.object({ connections: z.array(shownConnection), pagination });
export const connectionIdInput = z.strictObject({ connectionId: idInput });
export const shownConnectionReply = z.object({ connection: shownConnection });
export const connectionReply = z.object({ connection });
/** What a user enters in the tracker. Only this reply contains the secret. */
export const trackerWebhookReply = z.object({ webhook: z.object({ url: z.string(), secret: z.string() }) });
export const connectionTestReply = z.object({ test: connectionTest });

const ticketDestination = line.meta({ examples: ["PROJ"] });
export const getTicketFieldsInput = z.strictObject({
  connectionId: idInput,
  destination: ticketDestination.optional().describe("A Jira project's key. Default: the connection's."),
  issueType: line.optional().describe("The name of a type of Jira's issues. Default: the connection's."),
});
export const updateTicketFieldsInput = z.strictObject({
  connectionId: idInput,
  destination: ticketDestination.optional().describe("A Jira project's key. Default: the connection's."),
  /** By field id. Others keep their value; `null` removes one. */
  values: z.record(z.string().min(1).max(100), ticketFieldValue.nullable()),
});
export const ticketFieldsReply = z.object({
  ticketFields: z.object({
    destination: z.string(),
    /** `null`: the tracker has no types of issues, and no fields beyond ours. */
    issueType: z.string().nullable(),
    /** Required ones first; optional ones only if they can be filled in. */
    fields: z.array(ticketField.extend({ value: ticketFieldValue.nullable() })),
  }),
});

export const createConnectionInput = z.strictObject({
  kind: z.enum(CONNECTION_KINDS),
  name: connectionName,
  /** Default: the provider's own address; a webhook and Jira have none. */
  baseUrl: baseUrlText.optional(),
  /** A token, or what the kind uses as one; for a GitHub App, its private key (PEM). Stored encrypted and never returned. */
  secret: connectionSecret.optional(),
  settings: settingsInput.optional(),
});

/** The same with each kind's own requirements, which a form checks before it sends. Over `/v1` a violation is a 422. */
export const createConnectionForm = createConnectionInput
  .extend({ baseUrl: baseUrl.optional() })
  .superRefine((given, { addIssue }) => {
    const parsed = SETTINGS[given.kind].partial().safeParse(given.settings ?? {});
    for (const { path, message } of parsed.error?.issues ?? [])
      addIssue({ code: "custom", path: ["settings", ...path], message });
    if (given.baseUrl === undefined && DEFAULT_BASE_URLS[given.kind] === null)
      addIssue({ code: "custom", path: ["baseUrl"], message: "This kind has no default address: enter one." });
  });

const connectionChange = z.strictObject({
  connectionId: idInput,
  name: connectionName.optional(),
  baseUrl: baseUrlText.optional(),
  /** A new secret, or `null` to delete the stored one. */
  secret: connectionSecret.nullable().optional(),
  /** Only the settings given here change. */
  settings: settingsInput.optional(),
});
export const updateConnectionInput = changing(connectionChange, ["connectionId"]).meta({
  examples: [{ name: "Shop tickets" }],
});
export const updateConnectionForm = connectionChange.extend({ baseUrl: baseUrl.optional() });
