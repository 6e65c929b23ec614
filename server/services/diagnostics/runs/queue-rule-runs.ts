import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { ruleRuns } from "@/db/schema";
import { insertOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { RUNS_PER_EVENT, ruleRunsQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import type { Snapshot } from "@/server/services/telemetry";
import type { ConfiguredRule } from "../settings/rule-settings";

/** Returns a deduplication key for a set of trace ids, independent of their order; empty when there are none. */
export const tracesKeyOf = (traceIds: readonly string[]) =>
  traceIds.length === 0
    ? ""
    : createHash("sha256")
        .update(JSON.stringify([...new Set(traceIds)].sort()))
        .digest("base64url");

/**
 * Queues one Run per Rule and snapshot, with its event, in the caller's transaction. The same combination of Rule, version,
 * settings and snapshot is not queued twice unless its Run was skipped or failed. With `again` a completed Run is
 * requeued too, for spans that arrived late. Returns the ids of the newly queued Runs.
 */
export async function queueRuleRuns(
  ctx: Ctx,
  snapshots: readonly Snapshot[],
  rules: readonly ConfiguredRule[],
  { origin, again = false }: { origin: "on_demand" | "automatic"; again?: boolean },
): Promise<string[]> {
  const rows = snapshots.flatMap((snapshot) =>
    rules.map(({ rule, revision }) => ({
      id: newId("run"),
      rule_id: rule.id,
      rule_version: rule.version,
      configuration_revision: revision,
      conversation_id: snapshot.conversationId,
      last_activity_at: snapshot.lastActivityAt,
      trace_ids: snapshot.traceIds,
      traces_key: tracesKeyOf(snapshot.traceIds),
    })),
  );
  if (rows.length === 0) return [];
  const repeated = again
    ? sql`do update set status = 'queued', result_count = null, read_until = null, started_at = null, finished_at = null
          where rule_runs.status = 'completed'`
    : sql`do nothing`;
  const insert = insertOf(ruleRuns, {
    same: { project_id: ctx.projectId, origin, status: "queued" },
    rows,
    left: [
      "backfill_id",
      "attempts",
      "result_count",
      "read_until",
      "skip_reason",
      "error_message",
      "notes",
      "created_at",
      "started_at",
      "finished_at",
    ],
    onConflict: sql`
      (project_id, conversation_id, rule_id, rule_version, configuration_revision, last_activity_at, traces_key)
      where status not in ('skipped', 'failed') ${repeated}`,
  });
  const queued = await ctx.db.execute<{ id: string }>(sql`${insert} returning id`);

  const ids = [...queued].map((row) => row.id);
  const events = [];
  for (let from = 0; from < ids.length; from += RUNS_PER_EVENT) {
    events.push(ruleRunsQueued.create({ projectId: ctx.projectId, runIds: ids.slice(from, from + RUNS_PER_EVENT) }));
  }
  await emit(ctx.db, ...events);
  return ids;
}
