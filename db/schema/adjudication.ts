import { bigint, index, integer, jsonb, numeric, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, projectId } from "./columns";
import { ruleRuns } from "./diagnostics";
import { owningProjectId, withinProject } from "./projects";
import { conversations } from "./telemetry";

/** What a Run has detected so far, while the adjudicator decides its ambiguous Signals. Deleted when the Run completes. */
export const ruleRunDetections = pgTable(
  "rule_run_detections",
  {
    projectId: projectId(),
    /** The Run's id. */
    id: text("id").notNull(),
    conversationId: text("conversation_id").notNull(),
    detected: jsonb("detected").notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("rule_run_detections_run", t, t.id, ruleRuns).onDelete("cascade"),
  ],
);

/** The adjudicator's answers, so that the same question about the same content is asked once. */
export const adjudications = pgTable(
  "adjudications",
  {
    projectId: projectId(),
    /** SHA-256 over what the model was shown about one Signal, the model's name, and the prompt's version. */
    id: text("id").notNull(),
    conversationId: text("conversation_id").notNull(),
    answer: jsonb("answer").notNull(),
    model: text("model"),
    /** Tokens of the calls that led to the answer, as the endpoint counts them; null if it reports none. */
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("adjudications_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    index("adjudications_conversation_id").on(t.projectId, t.conversationId),
    index("adjudications_created_at").on(t.projectId, t.createdAt, t.id),
  ],
);

/** The adjudicator's usage of a connection per UTC day, including what its calls in progress have reserved. */
export const adjudicatorUsage = pgTable(
  "adjudicator_usage",
  {
    projectId: owningProjectId(),
    /** The connection's id. */
    id: text("id").notNull(),
    /** Days since 1970-01-01, UTC, by the database's clock. */
    day: integer("day").notNull(),
    calls: bigint("calls", { mode: "number" }).notNull().default(0),
    tokens: bigint("tokens", { mode: "number" }).notNull().default(0),
    /** US dollars of the calls whose price is known. */
    usd: numeric("usd").notNull().default("0"),
    unpricedCalls: bigint("unpriced_calls", { mode: "number" }).notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.id, t.day] })],
);
