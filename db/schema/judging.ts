import { sql } from "drizzle-orm";
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { JUDGEMENT_QUESTIONS, JUDGING_STATUSES } from "./enumerations";
import { withinProject } from "./projects";
import { evaluationRows, evaluations } from "./serving";

/** How a connected model judges the rows of an evaluation: the latest time that it was asked to. */
export const evaluationJudgings = pgTable(
  "evaluation_judgings",
  {
    projectId: projectId(),
    /** The evaluation's id. */
    id: text("evaluation_id").notNull(),
    status: text("status", { enum: JUDGING_STATUSES }).notNull(),
    connectionId: text("connection_id").notNull(),
    model: text("model").notNull(),
    promptVersion: integer("prompt_version").notNull(),
    withPreference: boolean("with_preference").notNull(),
    /** The most questions to send. */
    maxQuestions: integer("max_questions").notNull(),
    /** Counts and shares of what the model said. */
    result: jsonb("result").$type<Record<string, unknown>>().notNull(),
    /** Why it stopped. */
    note: text("note"),
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
    finishedAt: unixMs("finished_at"),
    updatedAt: unixMs("updated_at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("evaluation_judgings_evaluation", t, t.id, evaluations).onDelete("cascade"),
    index("evaluation_judgings_due").on(t.dueAt).where(sql`due_at is not null`),
  ],
);

/** What a model said about a row, with its whole reply. Goes with the row, and so with the words that it is about. */
export const evaluationJudgements = pgTable(
  "evaluation_judgements",
  {
    projectId: projectId(),
    evaluationId: text("evaluation_id").notNull(),
    n: integer("n").notNull(),
    question: text("question", { enum: JUDGEMENT_QUESTIONS }).notNull(),
    /** SHA-256 over what the model was shown, its name, and the prompt's version: the same is not asked twice. */
    key: text("key").notNull(),
    model: text("model").notNull(),
    promptVersion: integer("prompt_version").notNull(),
    /** Null if the model gave none; `error` says why. */
    verdict: text("verdict"),
    reason: text("reason"),
    reply: text("reply"),
    error: text("error"),
    /** Copied from an answer to the same question, so nothing was sent for it. */
    isReused: boolean("is_reused").notNull(),
    /** As the endpoint counts them; null if it reports none. */
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.evaluationId, t.n, t.question] }),
    foreignKey({
      name: "evaluation_judgements_row",
      columns: [t.projectId, t.evaluationId, t.n],
      foreignColumns: [evaluationRows.projectId, evaluationRows.evaluationId, evaluationRows.n],
    }).onDelete("cascade"),
    index("evaluation_judgements_key").on(t.projectId, t.key),
    index("evaluation_judgements_model").on(t.projectId, t.model, t.createdAt),
  ],
);
