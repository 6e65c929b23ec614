import { desc, sql } from "drizzle-orm";
import { check, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { actor, createdAt, projectId, unixMs } from "./columns";
import { findings } from "./diagnostics";
import { FIX_ENDS, FIX_KINDS, FIX_VERDICTS, VERSION_DIMENSIONS } from "./enumerations";
import { withinProject } from "./projects";

/** A change that went out against a Finding, and whether the conversations since show that it holds. */
export const fixes = pgTable(
  "fixes",
  {
    projectId: projectId(),
    id: text("id").notNull(),
    findingId: text("finding_id").notNull(),
    /** By what the conversations with it are known; null: all since the Finding was resolved. */
    by: text("by", { enum: VERSION_DIMENSIONS }),
    /** The version, model, label or prompt. Null with `by`: the version that appears next. */
    value: text("value"),
    /** Null: nobody said. */
    kind: text("kind", { enum: FIX_KINDS }),
    note: text("note").notNull(),
    /** When the Finding was resolved, or the first conversation with the fix began; null: there is none yet. */
    startedAt: unixMs("started_at"),
    endedAt: unixMs("ended_at"),
    endReason: text("end_reason", { enum: FIX_ENDS }),
    verdict: text("verdict", { enum: FIX_VERDICTS }),
    verdictAt: unixMs("verdict_at"),
    /** The last comparison: counts and rates, without any words of conversations. */
    measured: jsonb("measured").$type<Record<string, unknown>>(),
    measuredAt: unixMs("measured_at"),
    /** When it is measured next; null once it has ended. */
    dueAt: unixMs("due_at"),
    ...actor(),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    withinProject("fixes_finding", t, t.findingId, findings).onDelete("cascade"),
    index("fixes_newest").on(t.projectId, desc(t.createdAt), desc(t.id)),
    index("fixes_of_finding").on(t.projectId, t.findingId, desc(t.createdAt), desc(t.id)),
    index("fixes_due").on(t.dueAt).where(sql`due_at is not null`),
    uniqueIndex("fixes_watched")
      .on(t.projectId, t.findingId, sql`coalesce(${t.by}, '')`, sql`coalesce(${t.value}, '')`)
      .where(sql`ended_at is null`),
    check("fixes_by", sql`${t.by} is not null or (${t.value} is null and ${t.startedAt} is not null)`),
    check(
      "fixes_value",
      sql`${t.by} is null or ${t.value} is not null or (${t.by} = 'version' and ${t.startedAt} is null)`,
    ),
    check(
      "fixes_end",
      sql`(${t.endedAt} is null) = (${t.endReason} is null) and (${t.endedAt} is null) = (${t.dueAt} is not null)`,
    ),
    check("fixes_verdict", sql`(${t.verdict} is null) = (${t.verdictAt} is null)`),
    check("fixes_measured", sql`(${t.measured} is null) = (${t.measuredAt} is null)`),
  ],
);
