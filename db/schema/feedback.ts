import { desc, sql } from "drizzle-orm";
import {
  boolean,
  check,
  doublePrecision,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { NOW } from "../now";
import { createdAt, unixMs } from "./columns";
import { EVALUATOR_KINDS, FEEDBACK_KINDS, FEEDBACK_SOURCES } from "./enumerations";
import { owningProjectId, withinProject } from "./projects";
import { conversations } from "./telemetry";

/** Feedback of users on conversations and their turns, and what evaluators said of them. */
export const feedback = pgTable(
  "feedback",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    /** The client's conversation id, or ours for a conversation without one; null if the feedback came with telemetry. */
    conversationRef: text("conversation_ref"),
    /** Null until the conversation's telemetry has arrived. */
    conversationId: text("conversation_id"),
    traceId: text("trace_id"),
    spanId: text("span_id"),
    kind: text("kind", { enum: FEEDBACK_KINDS }).notNull(),
    /** What was judged, such as `relevance`; null for a user's feedback over the API without a name. */
    name: text("name"),
    /** `up` or `down`, a number, or text. */
    value: jsonb("value").$type<string | number>().notNull(),
    scaleMin: doublePrecision("scale_min"),
    scaleMax: doublePrecision("scale_max"),
    comment: text("comment"),
    /** Null if what came with telemetry does not say. */
    evaluatorKind: text("evaluator_kind", { enum: EVALUATOR_KINDS }),
    /** False for the score of an automatic evaluation. */
    givenByUser: boolean("given_by_user").notNull(),
    source: text("source", { enum: FEEDBACK_SOURCES }).notNull(),
    /** A hash of what identifies the feedback: feedback with the same hash replaces the earlier one. */
    identity: text("identity").notNull(),
    givenAt: unixMs("given_at").notNull(),
    createdAt: createdAt(),
    /** When it was stored or changed, by the database's clock. */
    updatedAt: unixMs("updated_at").notNull().default(NOW),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("feedback_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    uniqueIndex("feedback_identity").on(t.projectId, t.identity),
    index("feedback_newest").on(t.projectId, desc(t.givenAt), desc(t.id)),
    index("feedback_newest_of_kind").on(t.projectId, t.kind, desc(t.givenAt), desc(t.id)),
    index("feedback_of_conversation").on(t.projectId, t.conversationId, desc(t.givenAt), desc(t.id)),
    index("feedback_of_evaluator")
      .on(t.projectId, t.name, desc(t.givenAt), desc(t.id))
      .where(sql`name is not null and not given_by_user`),
    index("feedback_waiting").on(t.projectId, t.conversationRef).where(sql`conversation_id is null`),
    index("feedback_waiting_for_trace").on(t.projectId, t.traceId).where(sql`conversation_id is null`),
  ],
);

/** What a project's people said of an evaluator: which of its results mean that a conversation failed. */
export const evaluators = pgTable(
  "evaluators",
  {
    projectId: owningProjectId(),
    name: text("name").notNull(),
    /** Scores below this fail. */
    failsBelow: doublePrecision("fails_below"),
    /** Scores above this fail. */
    failsAbove: doublePrecision("fails_above"),
    /** These labels fail. */
    failingLabels: text("failing_labels").array(),
    updatedAt: unixMs("updated_at").notNull().default(NOW),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.name] }),
    check("evaluators_fail_one_way", sql`num_nonnulls(${t.failsBelow}, ${t.failsAbove}, ${t.failingLabels}) = 1`),
  ],
);
