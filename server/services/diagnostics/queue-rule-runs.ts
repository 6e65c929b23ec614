import { sql } from "drizzle-orm";
import { RUNS_PER_EVENT, ruleRunsQueued } from "@/inngest/events";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { emit } from "@/server/platform/outbox";
import type { Rule } from "./types";

export type Snapshot = { conversationId: string; lastActivityAt: number; traceIds: readonly string[] };

/**
 * Queues one Run per Rule and conversation, with its event, in the caller's transaction. A Run that is there for the
 * same activity is not made twice; with `again`, one that has finished is queued anew, because spans came in late.
 * Answers the ids of what was queued now.
 */
export async function queueRuleRuns(
  ctx: Ctx,
  snapshots: readonly Snapshot[],
  rules: readonly Rule[],
  { origin, again = false }: { origin: "on_demand" | "automatic"; again?: boolean },
): Promise<string[]> {
  const rows = snapshots.flatMap((snapshot) =>
    rules.map((rule) => ({
      id: newId("run"),
      rule_id: rule.id,
      rule_version: rule.version,
      conversation_id: snapshot.conversationId,
      last_activity_at: snapshot.lastActivityAt,
      trace_ids: snapshot.traceIds,
    })),
  );
  if (rows.length === 0) return [];
  const onConflict = again
    ? sql`do update set status = 'queued', skip_reason = null, error_message = null, result_count = null,
            started_at = null, finished_at = null
          where rule_runs.status in ('completed', 'skipped', 'failed')`
    : sql`do nothing`;
  const queued = await ctx.db.execute<{ id: string }>(sql`
    insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, trace_ids, origin, status)
    select ${ctx.projectId}::text, id, rule_id, rule_version, conversation_id, last_activity_at,
           array(select jsonb_array_elements_text(trace_ids)), ${origin}::text, 'queued'
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      as t(id text, rule_id text, rule_version int, conversation_id text, last_activity_at bigint, trace_ids jsonb)
    on conflict (project_id, rule_id, rule_version, conversation_id, last_activity_at) ${onConflict}
    returning id`);

  const ids = [...queued].map((row) => row.id);
  const events = [];
  for (let from = 0; from < ids.length; from += RUNS_PER_EVENT) {
    events.push(ruleRunsQueued.create({ projectId: ctx.projectId, runIds: ids.slice(from, from + RUNS_PER_EVENT) }));
  }
  await emit(ctx.db, ...events);
  return ids;
}
