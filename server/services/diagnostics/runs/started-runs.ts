import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { storedReason } from "@/server/platform/logging/stored-reason";
import type { Snapshot } from "@/server/services/telemetry";

/** A Run in progress with the snapshot that it reads. */
export type Run = Snapshot & {
  id: string;
  ruleId: string;
  ruleVersion: number;
  configurationRevision: number;
  tracesKey: string;
};

type RunRow = {
  id: string;
  rule_id: string;
  rule_version: number;
  configuration_revision: number;
  conversation_id: string;
  last_activity_at: string;
  trace_ids: string[];
  traces_key: string;
};

export const RUN_COLUMNS = sql`r.id, r.rule_id, r.rule_version, r.configuration_revision, r.conversation_id,
  r.last_activity_at, r.trace_ids, r.traces_key`;

export const runOf = (row: RunRow): Run => ({
  id: row.id,
  ruleId: row.rule_id,
  ruleVersion: row.rule_version,
  configurationRevision: row.configuration_revision,
  conversationId: row.conversation_id,
  lastActivityAt: Number(row.last_activity_at),
  traceIds: row.trace_ids,
  tracesKey: row.traces_key,
});

/** The condition that a failed Run `r` has been queued again as a newer Run. */
export const hasNewerRun: SQL = sql`exists (
  select 1 from rule_runs o
  where o.project_id = r.project_id and o.conversation_id = r.conversation_id and o.rule_id = r.rule_id
    and o.rule_version = r.rule_version and o.configuration_revision = r.configuration_revision
    and o.last_activity_at = r.last_activity_at and o.traces_key = r.traces_key and o.id <> r.id
    and (o.status not in ('skipped', 'failed') or (o.created_at, o.id) > (r.created_at, r.id)))`;

/**
 * Selects Runs and locks them in the order of their ids until the transaction ends. Every statement that changes several Runs
 * begins with it, because two that lock the same Runs in different orders would deadlock.
 */
export const lockedRuns = (ctx: Ctx, runIds: readonly string[]): SQL => sql`
  select id from rule_runs where project_id = ${ctx.projectId} and id = any(${textArray(runIds)})
  order by id for no key update`;

/** Marks Runs as running and returns them. A failed Run that has been queued again as a newer Run is left out. */
export async function startRuns(ctx: Ctx, runIds: readonly string[]): Promise<Run[]> {
  if (runIds.length === 0) return [];
  const rows = await ctx.db.execute<RunRow>(sql`
    with locked as materialized (${lockedRuns(ctx, runIds)})
    update rule_runs r set status = 'running', attempts = r.attempts + 1, started_at = ${NOW}, finished_at = null
    from locked
    where r.project_id = ${ctx.projectId} and r.id = locked.id
      and (r.status in ('queued', 'running') or r.status = 'failed' and not ${hasNewerRun})
    returning ${RUN_COLUMNS}`);
  return [...rows].map(runOf);
}

const ERROR_CHARACTERS = 2000;
/** Returns an error's message as a Run stores it. */
export const storedError = (message: string) => storedReason(message, ERROR_CHARACTERS);
