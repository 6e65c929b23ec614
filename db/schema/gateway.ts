import { desc, sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { apiKeys } from "./administration/api-keys";
import { createdAt, projectId, unixMs } from "./columns";
import { BUDGET_SCOPES, EXPERIMENT_ARMS } from "./enumerations";
import type { ExperimentCounts, GatewayTarget } from "./json";
import { ofProject, withinProject } from "./projects";

/** A name that calls of models may use, and the models that answer them, in order. */
export const gatewayAliases = pgTable(
  "gateway_aliases",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    name: text("name").notNull(),
    /** Connections and deployments without foreign keys: one that was deleted is skipped. */
    targets: jsonb("targets").$type<GatewayTarget[]>().notNull(),
    /** How often each target is asked again before the next. */
    retries: integer("retries").notNull(),
    /** Limit for the first content of a streamed answer of each attempt. Null: none. */
    firstTokenSeconds: integer("first_token_seconds"),
    /** Limit for the whole call. Null: none. */
    totalSeconds: integer("total_seconds"),
    /** The limit on an answer for calls that set none. Null: as the endpoint has it. */
    maxOutputTokens: integer("max_output_tokens"),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("gateway_aliases_project", t),
    uniqueIndex("gateway_aliases_name").on(t.projectId, t.name),
    index("gateway_aliases_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("gateway_aliases_name_shape", sql`${t.name} ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$'`),
    check(
      "gateway_aliases_have_targets",
      sql`jsonb_typeof(${t.targets}) = 'array' and jsonb_array_length(${t.targets}) between 1 and 8`,
    ),
    check("gateway_aliases_retries", sql`${t.retries} between 0 and 3`),
    check(
      "gateway_aliases_limits",
      sql`${t.firstTokenSeconds} between 1 and 600 and ${t.totalSeconds} between 1 and 1800 and ${t.maxOutputTokens} > 0`,
    ),
  ],
);

/** A variant that a share of an alias's conversations is answered with. */
export const gatewayExperiments = pgTable(
  "gateway_experiments",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    /** As conversations name its arms: the alias at that time, and a number of the project's. */
    name: text("name").notNull(),
    number: integer("number").notNull(),
    /** Without foreign keys: what was found outlives alias and variant, whose deletion ends it. */
    aliasId: text("alias_id").notNull(),
    variantId: text("variant_id").notNull(),
    variantName: text("variant_name").notNull(),
    variantVersion: integer("variant_version").notNull(),
    /** Percent of the conversations that begin. */
    share: integer("share").notNull(),
    startedAt: unixMs("started_at").notNull(),
    endedAt: unixMs("ended_at"),
    /** Conversations in each arm, once it has ended: their rows are deleted. */
    counts: jsonb("counts").$type<ExperimentCounts>(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("gateway_experiments_project", t),
    uniqueIndex("gateway_experiments_number").on(t.projectId, t.number),
    uniqueIndex("gateway_experiments_running").on(t.projectId, t.aliasId).where(sql`ended_at is null`),
    index("gateway_experiments_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    check("gateway_experiments_share", sql`${t.share} between 0 and 100`),
    check("gateway_experiments_end", sql`(${t.endedAt} is null) = (${t.counts} is null)`),
  ],
);

/** The arm of each conversation of an experiment: the first one that it got. */
export const gatewayAssignments = pgTable(
  "gateway_assignments",
  {
    projectId: projectId(),
    experimentId: text("experiment_id").notNull(),
    /** A hash of what names the conversation, or the response that a next call refers to. */
    subject: text("subject").notNull(),
    arm: text("arm", { enum: EXPERIMENT_ARMS }).notNull(),
    /** Of a response, its conversation's hash. Null: a conversation. */
    conversation: text("conversation"),
    /** Whether the variant did not fit one of its calls. */
    notApplied: boolean("not_applied").notNull().default(false),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.experimentId, t.subject] }),
    withinProject("gateway_assignments_experiment", t, t.experimentId, gatewayExperiments).onDelete("cascade"),
  ],
);

/** What calls of models may cost a day: all of the project's, those of one key, or those of each user of the application. */
export const gatewayBudgets = pgTable(
  "gateway_budgets",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    scope: text("scope", { enum: BUDGET_SCOPES }).notNull(),
    keyId: text("key_id"),
    /** US dollars per UTC day. */
    dailyUsd: numeric("daily_usd").notNull(),
    createdAt: createdAt(),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("gateway_budgets_project", t),
    withinProject("gateway_budgets_key", t, t.keyId, apiKeys).onDelete("cascade"),
    uniqueIndex("gateway_budgets_once").on(t.projectId, t.scope, sql`coalesce(${t.keyId}, '')`),
    index("gateway_budgets_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("gateway_budgets_key_id").on(t.projectId, t.keyId),
    check("gateway_budgets_of_a_key", sql`(${t.scope} = 'key') = (${t.keyId} is not null)`),
    check("gateway_budgets_positive", sql`${t.dailyUsd} > 0`),
  ],
);

/** Calls of models that are not recorded yet, each with what is recorded of it if its process dies. */
export const gatewayCalls = pgTable(
  "gateway_calls",
  {
    projectId: projectId(),
    /** Of its span, or of the span around its attempts. */
    id: text("id").notNull(),
    /** Without a foreign key: the trace is stored with the call. */
    traceId: text("trace_id").notNull(),
    /** The process that serves it, or the run of the job that records it. */
    heldBy: text("held_by").notNull(),
    /** When its holder must have died, by the database's clock. Without an index: the table has calls in progress only. */
    leasedUntil: unixMs("leased_until").notNull(),
    startedAt: unixMs("started_at").notNull(),
    /** The attributes of its request, masked. They belong to the last span. */
    request: jsonb("request").$type<Readonly<Record<string, unknown>>>().notNull(),
    /** Its spans with as much of the answer as has arrived, masked. */
    spans: jsonb("spans").$type<readonly object[]>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    ofProject("gateway_calls_project", t),
    check("gateway_calls_have_spans", sql`jsonb_typeof(${t.spans}) = 'array' and jsonb_array_length(${t.spans}) > 0`),
  ],
);

/** What is spent of a budget on a day, including what calls in progress have reserved. */
export const gatewaySpending = pgTable(
  "gateway_spending",
  {
    projectId: projectId(),
    budgetId: text("budget_id").notNull(),
    /** Days since 1970-01-01, UTC. */
    day: integer("day").notNull(),
    /** A hash of the user's id, for a budget of each user; empty otherwise. */
    subject: text("subject").notNull(),
    usd: numeric("usd").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.budgetId, t.day, t.subject] }),
    withinProject("gateway_spending_budget", t, t.budgetId, gatewayBudgets).onDelete("cascade"),
    index("gateway_spending_day").on(t.projectId, t.day),
  ],
);
