import { sql } from "drizzle-orm";
import type { z } from "zod";
import { COLLECTION_OBJECTIVES, SAVED_VIEW_LISTS } from "@/db/schema/enumerations";
import { placeOf } from "@/db/testing/things";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { jsonSchemaOf } from "@/server/rest/openapi/json-schema";
import { isProjectQualified } from "@/server/rest/operation";
import { OPERATIONS } from "@/server/rest/operations";
import { listAudit, listMyActivity } from "@/server/services/audit";
import { listBackgroundJobs } from "@/server/services/background-jobs";
import { BACKGROUND_JOB_SORTS, BACKGROUND_JOB_STATES } from "@/server/services/background-jobs/schemas";
import { queryChart } from "@/server/services/charts";
import { previewConversations, previewObjective } from "@/server/services/collection";
import { createConnection, listConnections } from "@/server/services/connections";
import {
  createRepricing,
  exportCosts,
  getCosts,
  getRepricing,
  listRepricings,
  previewModelPattern,
  previewRepricing,
  priceUsage,
} from "@/server/services/costs";
import { COST_GROUPS } from "@/server/services/costs/schemas";
import { checkDataset, diffVersions, getExample, getVersion, previewImport } from "@/server/services/datasets";
import { previewDeletion } from "@/server/services/deletion";
import {
  compareEvaluator,
  compareVersions,
  createBackfill,
  findingTimeline,
  getBackfill,
  getFinding,
  handOffFinding,
  listBackfills,
  listFindings,
  listFixes,
  listOccurrences,
  listRuleRuns,
  previewBackfill,
  previewHandOff,
  proposeFilter,
  updateEvaluator,
} from "@/server/services/diagnostics";
import { RULES } from "@/server/services/diagnostics/rules";
import { RULE_RUN_SORTS } from "@/server/services/diagnostics/schemas";
import { listFiles } from "@/server/services/files";
import { getMe, listSessions, readSession } from "@/server/services/identity";
import { listInvitations } from "@/server/services/members";
import { previewAlert } from "@/server/services/notifications";
import { getPerson, listPeople } from "@/server/services/people";
import {
  estimateModelPrice,
  listModelPrices,
  listModelPriceVersions,
  matchModelPrice,
} from "@/server/services/pricing";
import { enterProject, listProjects } from "@/server/services/projects";
import { listPrompts, promptUsage, renderPrompt } from "@/server/services/prompts";
import { PROMPT_SORTS } from "@/server/services/prompts/schemas";
import { previewRetention } from "@/server/services/retention";
import { listPinnedCharts, listSavedViews } from "@/server/services/saved-views";
import { getShareLinkSettings, listShareLinks } from "@/server/services/sharing";
import {
  conversationFacets,
  findContinued,
  findSpan,
  getConversation,
  getTrace,
  listConversations,
  listLogs,
  listMessages,
  listModelCalls,
  listSpans,
  listToolCalls,
  locate,
} from "@/server/services/telemetry";
import { CONVERSATION_SORTS } from "@/server/services/telemetry/schemas";
import { OWNER } from "./around";
import { DAYS } from "./fill";
import { GIANT_CONVERSATION, GIANT_TRACE, giantSpan } from "./giants";
import { LABELS, MODELS } from "./templates";
import { cursorAt, SAMPLES, type World } from "./world";

type Scope = "project" | "account" | "installation";
// biome-ignore lint/suspicious/noExplicitAny: every verb has its own context, input and reply
type AnyVerb = { (ctx: any, input: any): Promise<any>; spec: { name: string; scope: Scope } };
type Inputs = readonly object[];

export type Read = {
  /** The measured verb; absent for queries that an entry point makes itself. */
  verb?: string;
  name: string;
  /** Returns one distinct call per subject. */
  calls: (world: World) => Promise<(() => Promise<unknown>)[]>;
  /** Responses dominated by their size: reported, not held to the bound. */
  payload?: boolean;
};

type Options = { in?: "big" | "tiny"; payload?: boolean };

const read = (
  verb: AnyVerb,
  how: string,
  inputs: Inputs | ((world: World) => Promise<Inputs> | Inputs),
  { in: project = "big", ...options }: Options = {},
): Read => ({
  verb: verb.spec.name,
  name: how ? `${verb.spec.name}: ${how}` : verb.spec.name,
  calls: async (world) => {
    const all = typeof inputs === "function" ? await inputs(world) : inputs;
    const ctx = { account: world.account, installation: world.operator, project: world[project] }[verb.spec.scope];
    return all.map((input) => () => verb(ctx, input));
  },
  ...options,
});

/** First pages, and pages from anywhere in the list. */
const paged = (
  verb: AnyVerb,
  how: string,
  filters: object,
  place: (world: World) => ReturnType<World["spread"]>,
): Read[] => [
  read(verb, `${how}, first page`, [filters]),
  read(verb, `${how}, page from anywhere`, async (world) => {
    const { pagination } = await verb(world.big, { ...filters, limit: 1 });
    if (pagination.nextCursor === null) throw new Error(`${verb.spec.name} (${how}) has one row.`);
    return (await place(world)).map((at) => ({ ...filters, cursor: cursorAt(pagination.nextCursor, at) }));
  }),
];

const inConversations = (world: World) => world.spread("conversations", "started_at");
const inFindings = (world: World) => world.spread("findings", "last_detected_at");
const inRuns = (world: World) => world.spread("rule_runs", "created_at");
const inJobs = (world: World) => world.spread("job_runs", "created_at");
const inVersions = (world: World) => world.spread("dataset_versions", "number", "dataset_id");
const inFiles = (world: World) => world.spread("files", "created_at");
const inAudit = (world: World) => world.spread("audit_log", "created_at");
const MONTH = { from: Date.now() - 30 * DAY_MS, to: Date.now() };
const one = <T>(values: readonly T[]) => values[0]!;
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n);
const days = (count: number) => numbers(count).map((n) => Date.now() - (n * DAYS * DAY_MS) / count);
const searches = (...words: string[]) => words.map((q) => ({ q }));

const conversationReads: Read[] = [
  ...paged(listConversations, "all", {}, inConversations),
  read(listConversations, "500 a page", [{ limit: 500 }]),
  read(
    listConversations,
    "one day",
    days(20).map((at) => ({ startedAfter: at - DAY_MS, startedBefore: at })),
  ),
  read(
    listConversations,
    "before a time",
    days(20).map((at) => ({ startedBefore: at })),
  ),
  read(
    listConversations,
    "ordinary users",
    numbers(20, 900).map((n) => ({ userId: `user-${n * 40}` })),
  ),
  ...paged(listConversations, "a user with 2 % of everything", { userId: "user-0" }, inConversations),
  read(listConversations, "a user that nobody is", [{ userId: "nobody" }]),
  ...paged(listConversations, "a model of today", { model: MODELS.present }, inConversations),
  ...paged(listConversations, "a model of long ago", { model: MODELS.former }, inConversations),
  ...paged(listConversations, "a rare model", { model: MODELS.rare }, inConversations),
  read(listConversations, "a model that nobody used", [{ model: "gpt-2" }]),
  read(listConversations, "a rare model of the user with 2 %", [{ model: MODELS.rare, userId: "user-0" }]),
  ...paged(listConversations, "a label of nearly all", { label: LABELS.plain }, inConversations),
  ...paged(listConversations, "a rare label", { label: LABELS.rare }, inConversations),
  read(listConversations, "either of two models", [
    { model: [MODELS.present, MODELS.rare] },
    { model: [MODELS.former, MODELS.rare] },
  ]),
  read(listConversations, "either of two models, either of two labels and a word", [
    { model: [MODELS.former, MODELS.rare], label: [LABELS.plain, LABELS.rare], q: "order" },
  ]),
  read(listConversations, "a label that nothing has", [{ label: "nothing" }]),
  read(listConversations, "a rare label and a word of nearly all", [{ label: LABELS.rare, q: "order" }]),
  ...paged(listConversations, "with Findings", { hasFindings: true }, inConversations),
  ...paged(listConversations, "without Findings", { hasFindings: false }, inConversations),
  ...paged(listConversations, "with errors", { hasErrors: true }, inConversations),
  read(listConversations, "with Findings and without errors", [{ hasFindings: true, hasErrors: false }]),
  read(
    listConversations,
    "with Findings on one day",
    days(20).map((at) => ({ hasFindings: true, startedAfter: at - DAY_MS, startedBefore: at })),
  ),
  read(listConversations, "with Findings, a model of long ago", [{ hasFindings: true, model: MODELS.former }]),
  read(listConversations, "by the client's id", async (world) =>
    (await world.spread("conversations", "started_at", "external_id", "external_id is not null")).map(({ id }) => ({
      externalId: id,
    })),
  ),
  read(listConversations, "by an id that is not there", [{ externalId: "nothing" }]),
  ...paged(listConversations, "a word of nearly all", { q: "order" }, inConversations),
  read(listConversations, "words of many", searches("refund", "warehouse", "tomorrow", "invoice customer", "注文")),
  read(listConversations, "words of one in a hundred", searches(...numbers(10, 2).map((n) => `topic${n * n}`))),
  read(listConversations, "words of one in ten thousand", searches(...numbers(20, 1).map((n) => `item${n * 900}`))),
  read(listConversations, "a word of one", async (world) =>
    (
      await world.values(`select preview from conversations where project_id = 'prj_scale_big' and preview like 'Where is my item%'
      and started_at < ${Date.now() - 60 * DAY_MS} limit 20`)
    ).map((preview) => ({ q: / of order (\d+)/.exec(preview)![1] })),
  ),
  read(listConversations, "a word of none", searches("zebra", "quagga", "okapi")),
  read(listConversations, "a word of one week of long ago", searches("release1", "release2", "release3", "release4")),
  read(
    listConversations,
    "words that never occur together",
    searches("release1 release9", "release3 release12", "item3 item4 topic1"),
  ),
  read(
    listConversations,
    "words that rarely occur together",
    searches("topic3 item5", "topic9 item2", "topic1 refund item12"),
  ),
  read(
    listConversations,
    "a word, on one day",
    days(20).map((at) => ({ q: "topic5", startedAfter: at - DAY_MS, startedBefore: at })),
  ),
  read(
    listConversations,
    "a word, of the user with 2 %",
    searches("topic5", "release2").map((q) => ({ ...q, userId: "user-0" })),
  ),
  read(
    listConversations,
    "a word, with Findings",
    searches("topic5", "release2", "refund").map((q) => ({ ...q, hasFindings: true })),
  ),
  ...CONVERSATION_SORTS.flatMap((sort) =>
    (["desc", "asc"] as const).flatMap((order) => [
      read(listConversations, `by ${sort}, ${order}`, [{ sort, order }]),
      read(listConversations, `by ${sort}, ${order}, with errors`, [{ sort, order, hasErrors: true }]),
      read(listConversations, `by ${sort}, ${order}, a word of nearly all`, [{ sort, order, q: "order" }]),
    ]),
  ),
  read(listConversations, "small project, all", [{}], { in: "tiny" }),
  read(listConversations, "small project, words", searches("refund", "topic1", "release2", "zebra"), { in: "tiny" }),
  read(
    listConversations,
    "small project, models",
    [MODELS.present, MODELS.former, MODELS.rare].map((model) => ({ model })),
    { in: "tiny" },
  ),
  read(previewConversations, "", async (world) =>
    (await world.spread("conversations", "started_at", "id")).map(({ id }) => ({ conversationIds: [id] })),
  ),
  read(
    previewObjective,
    "",
    COLLECTION_OBJECTIVES.map((objective) => ({ objective })),
    { payload: true },
  ),
  read(getConversation, "by our id", async (world) =>
    (await inConversations(world)).map(({ id }) => ({ conversationId: id })),
  ),
  read(getConversation, "by the client's id", async (world) =>
    (await world.spread("conversations", "started_at", "external_id", "external_id is not null")).map(({ id }) => ({
      conversationId: id,
    })),
  ),
  read(getConversation, "of 25 turns", async (world) =>
    (await world.spread("conversations", "started_at", "id", "cardinality(trace_ids) = 25")).map(({ id }) => ({
      conversationId: id,
    })),
  ),
  read(getConversation, "of 1,000 turns", [{ conversationId: GIANT_CONVERSATION }], { payload: true }),
  ...[listMessages, listModelCalls, listToolCalls].flatMap((verb) => [
    read(verb, "", async (world) => (await inConversations(world)).map(({ id }) => ({ conversationId: id }))),
    read(verb, "of 1,000 turns", [{ conversationId: GIANT_CONVERSATION }]),
  ]),
  read(
    listMessages,
    "of 1,000 turns, from anywhere",
    numbers(20).map((n) => ({ conversationId: GIANT_CONVERSATION, fromIndex: n * 100 })),
  ),
  read(conversationFacets, "", [{}]),
  read(conversationFacets, "under filters", [
    { model: [MODELS.present, MODELS.rare], hasErrors: true },
    { label: [LABELS.plain], hasFindings: true },
    { userId: "user-0", model: [MODELS.former] },
  ]),
  read(conversationFacets, "of a search", searches("order", "topic5", "release2", "zebra")),
  read(
    conversationFacets,
    "one day",
    days(20).map((at) => ({ startedAfter: at - DAY_MS, startedBefore: at })),
  ),
  read(getTrace, "", async (world) => (await world.spread("traces", "created_at")).map(({ id }) => ({ traceId: id }))),
  read(locate, "a conversation, a trace, a span", async (world) =>
    (
      await Promise.all([
        world.spread("conversations", "started_at"),
        world.spread("traces", "created_at"),
        world.spread("spans", "started_us", "span_id"),
      ])
    )
      .flat()
      .map(({ id }) => ({ telemetryId: id })),
  ),
  read(findContinued, "", async (world) =>
    (await world.spread("conversations", "started_at")).map(({ id }) => ({ conversationId: id })),
  ),
  read(findSpan, "in 1,000 traces", [{ conversationId: GIANT_CONVERSATION, spanId: "1".padStart(16, "0") }]),
  read(getTrace, "of 20,000 spans", [{ traceId: GIANT_TRACE }], { payload: true }),
  ...[listSpans, listLogs].flatMap((verb) => [
    read(verb, "", async (world) => (await world.spread("traces", "created_at")).map(({ id }) => ({ traceId: id }))),
    read(verb, "of 20,000 spans", [{ traceId: GIANT_TRACE }]),
  ]),
  read(
    listSpans,
    "of 20,000 spans, from anywhere",
    numbers(20).map((n) => ({ traceId: GIANT_TRACE, fromSpanId: giantSpan(n * 1000) })),
  ),
];

const findingReads: Read[] = [
  ...paged(listFindings, "all", {}, inFindings),
  ...paged(listFindings, "unreviewed and high", { reviewStatus: "unreviewed", severity: "high" }, inFindings),
  read(
    listFindings,
    "of each severity",
    ["critical", "high", "medium", "low", "info"].map((severity) => ({ severity })),
  ),
  read(
    listFindings,
    "of each review status",
    ["unreviewed", "confirmed", "dismissed"].map((reviewStatus) => ({ reviewStatus })),
  ),
  read(
    listFindings,
    "of each resolution",
    ["resolved", "unresolved", "none", ["unresolved", "none"]].map((resolutionStatus) => ({ resolutionStatus })),
  ),
  read(
    listFindings,
    "of each Rule",
    [...RULES.map(({ id }) => id), "none"].map((ruleId) => ({ ruleId })),
  ),
  read(
    listFindings,
    "by score",
    [0.1, 0.5, 0.69, 0.99].map((minDiagnosticScore) => ({ minDiagnosticScore })),
  ),
  read(
    listFindings,
    "of a day",
    days(20).map((at) => ({ lastDetectedAfter: at - DAY_MS, lastDetectedBefore: at })),
  ),
  read(listFindings, "of a conversation", async (world) =>
    (await world.spread("conversations", "started_at", "id", "finding_count > 0")).map(({ id }) => ({
      conversationId: id,
    })),
  ),
  read(getFinding, "", async (world) => (await inFindings(world)).map(({ id }) => ({ findingId: id }))),
  read(getFinding, "the most frequent", async (world) =>
    (await mostFrequent(world)).map((findingId) => ({ findingId })),
  ),
  read(handOffFinding, "the most frequent", async (world) =>
    (await mostFrequent(world)).map((findingId) => ({ findingId })),
  ),
  read(listOccurrences, "", async (world) => (await inFindings(world)).map(({ id }) => ({ findingId: id }))),
  read(listOccurrences, "of the most frequent, from anywhere", async (world) => {
    const findingId = one(await mostFrequent(world));
    const { pagination } = await listOccurrences(world.big, { findingId, limit: 1 });
    const places = await world.spread("occurrences", "detected_at", "id", `finding_id = '${findingId}'`);
    return places.map((at) => ({ findingId, cursor: cursorAt(pagination.nextCursor!, at) }));
  }),
  read(listOccurrences, "of the most frequent, in a conversation", async (world) => {
    const findingId = one(await mostFrequent(world));
    const places = await world.spread("occurrences", "detected_at", "conversation_id", `finding_id = '${findingId}'`);
    return places.map(({ id }) => ({ findingId, conversationId: id }));
  }),
  read(listFixes, "", [{}]),
  read(findingTimeline, "the most frequent", async (world) =>
    (await mostFrequent(world)).map((findingId) => ({ findingId })),
  ),
  read(compareVersions, "models", [
    { by: "model", baseline: MODELS.former, compared: MODELS.present },
    { by: "model", baseline: MODELS.present, compared: MODELS.rare },
  ]),
  ...paged(listRuleRuns, "all", {}, inRuns),
  read(
    listRuleRuns,
    "of each status",
    ["queued", "running", "completed", "skipped", "failed"].map((status) => ({ status })),
  ),
  read(
    listRuleRuns,
    "of each origin",
    ["on_demand", "automatic", "backfill"].map((origin) => ({ origin })),
  ),
  read(
    listRuleRuns,
    "of each Rule",
    [...RULES.map(({ id }) => id), "none"].map((ruleId) => ({ ruleId })),
  ),
  read(
    listRuleRuns,
    "of a backfill",
    ["bf_20", "bf_30", "bf_49", "none"].map((backfillId) => ({ backfillId })),
  ),
  ...paged(listRuleRuns, "failed on demand", { status: "completed", origin: "on_demand" }, inRuns),
  read(listRuleRuns, "of a conversation", async (world) =>
    (await inConversations(world)).map(({ id }) => ({ conversationId: id })),
  ),
];

const mostFrequent = (world: World) =>
  world.values(`select id from findings where project_id = 'prj_scale_big' order by occurrence_count desc limit 5`);

const promptNames =
  <More extends object>(more: More) =>
  async (world: World) =>
    (await world.spread("prompts", "created_at", "name")).map(({ id }) => ({ promptName: id, ...more }));

const aroundReads: Read[] = [
  ...paged(listAudit, "all", {}, inAudit),
  read(
    listAudit,
    "of a person",
    numbers(20).map((n) => ({ actorId: `usr_scale_${n * 7}` })),
  ),
  read(
    listAudit,
    "of an action",
    ["findings.update", "apiKeys.create", "retention.update", "projects.rename"].map((action) => ({ action })),
  ),
  read(
    listAudit,
    "of a subject",
    ["findings", "apiKeys", "retention", "projects"].map((action) => ({ action })),
  ),
  read(
    listAudit,
    "of a thing",
    numbers(20).map((n) => ({ targetId: `target_${n * 900}` })),
  ),
  read(
    listAudit,
    "of a day",
    days(20).map((at) => ({ createdAfter: at - DAY_MS, createdBefore: at })),
  ),
  read(
    listAudit,
    "of a person on a day",
    days(20).map((at) => ({ actorId: "usr_scale_7", createdAfter: at - DAY_MS, createdBefore: at })),
  ),
  read(listMyActivity, "", [{}]),
  ...paged(listFiles, "all", {}, inFiles),
  read(getVersion, "", async (world) =>
    (await inVersions(world)).map(({ id, time }) => ({ datasetId: id, version: time })),
  ),
  read(
    diffVersions,
    "with the one before",
    async (world) => (await inVersions(world)).map(({ id, time }) => ({ datasetId: id, from: time - 1, to: time })),
    { payload: true },
  ),
  read(checkDataset, "", async (world) => (await inVersions(world)).map(({ id }) => ({ datasetId: id })), {
    payload: true,
  }),
  // Reads a file, and the data set's files have no contents. `bench -- imports` measures it.
  read(previewImport, "", []),
  read(getExample, "", async (world) =>
    (
      await world.spread("example_revisions", "created_at", "dataset_id || ' ' || example_id", "to_version is null")
    ).map(({ id }) => ({ datasetId: id.split(" ")[0], exampleId: id.split(" ")[1] })),
  ),
  read(listShareLinks, "", [{}, { active: true }, { active: false }]),
  read(getShareLinkSettings, "", [{}]),
  read(listInvitations, "", [{}, { pending: true }, { pending: false }]),
  read(
    previewRetention,
    "",
    [1, 7, 30, 89, 365].map((days) => ({ days })),
  ),
  read(
    previewDeletion,
    "of ordinary users",
    numbers(20, 900).map((n) => ({ userId: `user-${n * 40}` })),
  ),
  read(previewDeletion, "of the user with 2 %", [{ userId: "user-0" }]),
  read(previewDeletion, "of the project", [{}]),
  read(
    matchModelPrice,
    "",
    [MODELS.present, MODELS.former, "a model of our own"].map((model) => ({ model })),
  ),
  read(
    estimateModelPrice,
    "",
    [MODELS.present, MODELS.former].map((model) => ({ model, usage: { input_tokens: 4000, output_tokens: 300 } })),
  ),
  read(listModelPriceVersions, "", async (world) => {
    const { models } = await listModelPrices(world.big, {});
    return models.slice(0, SAMPLES).map(({ id }) => ({ modelPriceId: id }));
  }),
  read(priceUsage, "of 30 days", [{}]),
  read(previewModelPattern, "", [{ matchPattern: "^gpt-.*" }, { matchPattern: "mini" }]),
  read(
    getCosts,
    "of a month, by each group",
    COST_GROUPS.filter((groupBy) => groupBy !== "user").map((groupBy) => ({
      from: Date.now() - 30 * DAY_MS,
      to: Date.now(),
      groupBy,
    })),
  ),
  read(getCosts, "of a month, by user", [{ from: Date.now() - 30 * DAY_MS, to: Date.now(), groupBy: "user" }], {
    payload: true,
  }),
  read(
    queryChart,
    "of a month of daily sums",
    ["calls", "tokens", "cost"].map((measure) => ({ measure, group: "model", ...MONTH })),
  ),
  read(queryChart, "of a month, by user", [{ measure: "cost", group: "user", ...MONTH }], { payload: true }),
  read(queryChart, "of a month of calls", [{ measure: "latency_p95", group: "model", ...MONTH }], { payload: true }),
  read(queryChart, "of a month of conversations", [{ measure: "thumbs_down_share", group: "label", ...MONTH }]),
  read(queryChart, "of a Finding’s share of a month", async (world) => [
    { measure: "finding_share", ofFinding: one(await mostFrequent(world)), ...MONTH },
  ]),
  read(queryChart, "of occurrences of a month", [{ measure: "occurrences", group: "finding", ...MONTH }]),
  read(previewAlert, "of a rate that changes", [{ measure: "error_rate", condition: "change", limit: 1 }]),
  read(previewAlert, "of a latency", [{ measure: "latency_p95", limit: 10_000 }]),
  read(getCosts, "of a year", [{ from: Date.now() - 365 * DAY_MS, to: Date.now() }]),
  read(getCosts, "of a year, by label", [{ from: Date.now() - 365 * DAY_MS, to: Date.now(), groupBy: "label" }]),
  read(exportCosts, "of a year", [{ from: Date.now() - 365 * DAY_MS, to: Date.now() }], { payload: true }),
  read(exportCosts, "of a year, by label", [{ from: Date.now() - 365 * DAY_MS, to: Date.now(), groupBy: "label" }], {
    payload: true,
  }),
  read(previewRepricing, "of a day", [{ from: Date.now() - 2 * DAY_MS, to: Date.now() - DAY_MS }], { payload: true }),
  read(getRepricing, "", async (world) => {
    const known = (await listRepricings(world.big, {})).repricings[0];
    const { id } = known ?? (await createRepricing(world.big, { from: 0, to: 1 })).repricing;
    return [{ repricingId: id }];
  }),
  read(compareEvaluator, "of 5,000 results", async ({ big }) => [{ name: await judgedBy(big) }], { payload: true }),
  read(proposeFilter, "", [{ problem: "Promises a day without calling get_order." }], { payload: true }),
  read(
    previewBackfill,
    "of a day, at most 1,000",
    [
      {
        ruleId: "tool-failure",
        startMs: Date.now() - 2 * DAY_MS,
        endMs: Date.now() - DAY_MS,
        maxConversations: 1000,
      },
    ],
    { payload: true },
  ),
  read(getBackfill, "", async (world) => {
    const known = (await listBackfills(world.big, {})).backfills[0];
    const asked = { ruleId: "tool-failure", startMs: 0, endMs: 1, maxConversations: 1 };
    const { id } = known ?? (await createBackfill(world.big, asked)).backfill;
    return [{ backfillId: id }];
  }),
  read(previewHandOff, "of the newest Finding", async (world) => {
    const { connections } = await listConnections(world.big, {});
    const settings = { defaultDestination: "acme/shop" };
    if (!connections.some((one) => one.kind === "github" && "secretSet" in one && one.secretSet))
      await createConnection(world.big, { kind: "github", name: "GitHub", secret: "never sent", settings });
    return [{ provider: "github" }];
  }),
  ...paged(listBackgroundJobs, "all", {}, inJobs),
  read(
    listBackgroundJobs,
    "of each state",
    BACKGROUND_JOB_STATES.map((state) => ({ state })),
  ),
  read(
    listBackgroundJobs,
    "by each order",
    BACKGROUND_JOB_SORTS.map((sort) => ({ sort })),
  ),
  read(listBackgroundJobs, "ended, and not", [{ finished: true }, { finished: false }]),
  read(listBackgroundJobs, "of a function", [{ functionId: "whetstone-run-rules" }, { functionId: "none" }]),
  read(
    listBackgroundJobs,
    "of an hour",
    numbers(20).map((n) => ({
      createdAfter: Date.now() - (n + 1) * 3_600_000,
      createdBefore: Date.now() - n * 3_600_000,
    })),
  ),
  read(
    listRuleRuns,
    "by each order",
    RULE_RUN_SORTS.map((sort) => ({ sort })),
  ),
  read(
    listSavedViews,
    "",
    SAVED_VIEW_LISTS.map((list) => ({ list })),
  ),
  read(listPinnedCharts, "", [{}]),
  read(
    listPrompts,
    "by each order",
    PROMPT_SORTS.map((sort) => ({ sort })),
  ),
  read(renderPrompt, "", promptNames({})),
  read(promptUsage, "", promptNames({ from: 0, to: Date.now() })),
  read(listProjects, "", [{}]),
  read(listPeople, "all", [{}, { limit: 500 }]),
  read(getPerson, "", [{ userId: OWNER }]),
  read(getMe, "", [{}]),
  read(listSessions, "", [{}]),
  {
    name: "door: a session and its role",
    calls: async (world) =>
      numbers(20).map((n) => async () => {
        await readSession(world.big.db, `ses_scale_mine_${n}`);
        await enterProject(world.big.db, { projectId: world.big.projectId, userId: OWNER });
      }),
  },
];

/** Stores an evaluator's results on as many of the newest conversations as are compared, and returns its name. */
async function judgedBy(ctx: Ctx): Promise<string> {
  const name = "relevance";
  await ctx.db.execute(sql`
    insert into feedback (project_id, id, conversation_id, kind, name, value, evaluator_kind, given_by_user, source, identity, given_at)
    select project_id, 'fbk_' || id, id, 'score', ${name}, to_jsonb(abs(hashtext(id)) % 100 / 100.0), 'model', false, 'api', id, started_at
    from conversations where project_id = ${ctx.projectId} order by started_at desc limit 5000
    on conflict do nothing`);
  await updateEvaluator(ctx, { name, failsWhen: { below: 0.1 } });
  return name;
}

const asked: readonly Read[] = [...conversationReads, ...findingReads, ...aroundReads];

/** Calls a read that has no line above: without input, or with ids from all over the data set. */
function plainRead(verb: AnyVerb & { spec: { input: z.ZodType } }): Read {
  const required = (jsonSchemaOf(verb.spec.input, "input").required ?? []) as string[];
  const places = required.map((field) => [field, placeOf(field)] as const);
  return read(verb, "", async (world) => {
    const found = await Promise.all(
      places.map(async ([field, place]) => {
        if (place === null) throw new Error(`${verb.spec.name} needs a line of its own here, for its ${field}.`);
        return (await world.spread(place.table, place.time, place.id)).map(({ id }) => ({ [field]: id }));
      }),
    );
    if (found.some((ids) => ids.length === 0)) return [];
    const [first = [{}], ...others] = found;
    return first.map((input, n) => Object.assign({}, input, ...others.map((more) => more[n % more.length])));
  });
}

const plainReads = OPERATIONS.flatMap((one) => {
  if (!("verb" in one) || one.verb.spec.effect !== "read") return [];
  const { spec } = one.verb;
  // A path without the project is the same verb under a second address.
  const isAsked = asked.some(({ verb }) => verb === spec.name) || !isProjectQualified(one.path);
  return isAsked ? [] : [plainRead(one.verb as unknown as Parameters<typeof plainRead>[0])];
});

/** Every list and read of the services. Those that a plain call does not measure have lines above. */
export const READS: readonly Read[] = [...asked, ...plainReads];
