import type { JsonSchema } from "./document";

/** Fixed times, so that the document is deterministic. */
const A_TIME = 1_767_225_600_000;
const A_LATER_TIME = 1_767_312_000_000;
const A_FUTURE_TIME = 4_102_444_800_000;
/** Deeper than any of our schemas; bounds recursive ones. */
const DEPTH_MAX = 12;

const PREFIX_OF_ID: Record<string, string> = {
  projectId: "prj",
  conversationId: "conv",
  receiptId: "rcp",
  findingId: "fnd",
  ofFinding: "fnd",
  runId: "run",
  ruleRunId: "run",
  keyId: "key",
  apiKeyId: "key",
  backfillId: "bf",
  backgroundJobId: "jr",
  connectionId: "conn",
  notificationRuleId: "nr",
  savedViewId: "sv",
  shareLinkId: "shr",
  alertId: "alr",
  deliveryId: "dlv",
  knowledgeGoalId: "kg",
  datasetId: "ds",
  exampleId: "ex",
  candidateId: "cand",
  collectionPassId: "cp",
  baseModelId: "bm",
  certificateId: "cert",
  changeId: "fch",
  clonedFromId: "job",
  checkpointId: "ckpt",
  configId: "tc",
  tuningConfigId: "tc",
  deletionId: "del",
  deploymentId: "dep",
  evaluationId: "eval",
  exportId: "exp",
  fileId: "fil",
  fixId: "fix",
  gatewayAliasId: "gwa",
  gatewayBudgetId: "gwb",
  gatewayExperimentId: "gwe",
  handoffRuleId: "hr",
  importId: "imp",
  invitationId: "inv",
  jobId: "job",
  modelPriceId: "mp",
  noteId: "fno",
  occurrenceId: "occ",
  repricingId: "rpr",
  rootModelId: "bm",
  telemetryId: "conv",
  trackerDeliveryId: "tdl",
  trainerId: "trn",
  variantId: "var",
  baselineConnectionId: "conn",
  userId: "usr",
  fromUserId: "usr",
  workItemId: "wi",
};
/** What a hub calls a model that can be trained. */
const A_BASE_MODEL = "Qwen/Qwen3-0.6B";
const ID_BODY = "0199b2f0c0de7abc8def0123456789ab";

/** Realistic values by field name. */
const BY_NAME: Record<string, unknown> = {
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId: "eee19b7ec3c1b174",
  parentSpanId: "eee19b7ec3c1b173",
  ruleId: "tool-failure",
  name: "Checkout assistant",
  provider: "openai",
  email: "ann@example.com",
  model: "gpt-4.1-mini",
  repoId: "acme/support-7b",
  destination: "acme/support",
  functionId: "run-rules",
  baseModelPriceId: "openai:gpt-4o",
  version: "0.1.0",
  baseUrl: "https://models.example.com/v1",
};

function byName(name: string, type: unknown): unknown {
  if (type === "integer" || type === "number") {
    if (name === "expiresAt") return A_FUTURE_TIME;
    if (name === "to" || name === "endMs") return A_LATER_TIME;
    return /(At|After|Before|Ms|day)$|^from$/.test(name) ? A_TIME : undefined;
  }
  if (type !== "string") return undefined;
  if (PREFIX_OF_ID[name]) return `${PREFIX_OF_ID[name]}_${ID_BODY}`;
  return Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
}

/** Whose ids replies and bodies call just `id`, by the name of the object around it. */
const OWNERS: Record<string, string> = {
  conversation: "conv",
  export: "exp",
  feedback: "fbk",
  project: "prj",
  receipt: "rcp",
  run: "run",
};
const prefixOfOwner = (owner: string) => PREFIX_OF_ID[`${owner}Id`] ?? OWNERS[owner] ?? "id";

/** Returns an illustrative value that the schema allows. `owner`: the name of the object around it. */
export function exampleOf(schema: JsonSchema, name = "", depth = 0, owner = ""): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const word of ["anyOf", "oneOf"]) {
    const options = schema[word];
    // Next to a `type`, these only constrain which fields go together.
    if (Array.isArray(options) && schema.type === undefined)
      return exampleOf(options[0] as JsonSchema, name, depth, owner);
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const known = byName(name, type);
  const isTooLarge = typeof known === "number" && typeof schema.maximum === "number" && known > schema.maximum;
  if (known !== undefined && !isTooLarge) return known;
  switch (type) {
    case "object": {
      if (depth >= DEPTH_MAX) return {};
      const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
      return Object.fromEntries(
        Object.entries(properties).map(([key, inner]) => [key, exampleOf(inner, key, depth + 1, name)]),
      );
    }
    case "array": {
      const items = schema.items as JsonSchema | undefined;
      return items && Object.keys(items).length && depth < DEPTH_MAX
        ? [exampleOf(items, name.replace(/s$/, ""), depth + 1, owner)]
        : [];
    }
    case "string":
      if (name === "id" && owner === "baseModel") return A_BASE_MODEL;
      return name === "id" ? `${prefixOfOwner(owner)}_${ID_BODY}` : name || "text";
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 1;
    case "boolean":
      return true;
    default:
      return null;
  }
}
