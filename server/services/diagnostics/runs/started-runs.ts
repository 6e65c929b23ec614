import { type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { ruleRuns } from "@/db/schema";
import { updateOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { storedReason } from "@/server/platform/logging/stored-reason";
import type { Snapshot } from "@/server/services/telemetry";
import type { RunOrigin } from "../findings/finding-events";

/** A Run in progress with the snapshot that it reads. `attempts` includes this one, which started at `startedAt` (Unix ms). */
export type Run = Snapshot & {
  id: string;
  ruleId: string;
  ruleVersion: number;
  configurationRevision: number;
  tracesKey: string;
  origin: RunOrigin;
  attempts: number;
  startedAt: number;
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
  origin: RunOrigin;
  attempts: number;
  started_at: string;
};

const SNAPSHOT_COLUMNS = sql`r.id, r.rule_id, r.rule_version, r.configuration_revision, r.conversation_id,
  r.last_activity_at, r.trace_ids, r.traces_key, r.origin`;
/** Of a Run that is stored as running. */
export const RUN_COLUMNS = sql`${SNAPSHOT_COLUMNS}, r.attempts, r.started_at`;

export const runOf = (row: RunRow): Run => ({
  id: row.id,
  ruleId: row.rule_id,
  ruleVersion: row.rule_version,
  configurationRevision: row.configuration_revision,
  conversationId: row.conversation_id,
  lastActivityAt: Number(row.last_activity_at),
  traceIds: row.trace_ids,
  tracesKey: row.traces_key,
  origin: row.origin,
  attempts: row.attempts,
  startedAt: Number(row.started_at),
});

/** The condition that a failed Run `r` has been queued again as a newer Run. */
export const hasNewerRun: SQL = sql`exists (
  select 1 from rule_runs o
  where o.project_id = r.project_id and o.conversation_id = r.conversation_id and o.rule_id = r.rule_id
    and o.rule_version = r.rule_version and o.configuration_revision = r.configuration_revision
    and o.last_activity_at = r.last_activity_at and o.traces_key = r.traces_key and o.id <> r.id
    and ((o.created_at, o.id) > (r.created_at, r.id)
      or o.status not in ('skipped', 'failed') and (r.evidence_at is null or o.evidence_at >= r.evidence_at)))`;

/**
 * Selects Runs and locks them in the order of their ids until the transaction ends. Every statement that changes several Runs
 * begins with it, because two that lock the same Runs in different orders would deadlock.
 */
export const lockedRuns = (ctx: Ctx, runIds: readonly string[]): SQL => sql`
  select id from rule_runs where project_id = ${ctx.projectId} and id = any(${textArray(runIds)})
  order by id for no key update`;

/**
 * Starts Runs and returns them. A failed Run that has been queued again as a newer Run is left out. Runs that nobody asked for
 * stay `queued` in the database until they are finished, fail or wait for the adjudicator: storing that they are running would
 * cost as much as storing their result.
 */
export async function startRuns(ctx: Ctx, runIds: readonly string[]): Promise<Run[]> {
  if (runIds.length === 0) return [];
  const unasked = await ctx.db.execute<RunRow>(sql`
    select ${SNAPSHOT_COLUMNS}, r.attempts + 1 as attempts, ${NOW} as started_at
    from rule_runs r
    where r.project_id = ${ctx.projectId} and r.id = any(${textArray(runIds)}) and r.status = 'queued'
      and r.origin <> 'on_demand'`);
  const started = new Set([...unasked].map(({ id }) => id));
  const others = runIds.filter((id) => !started.has(id));
  return [...unasked, ...(others.length > 0 ? await startAndStore(ctx, others) : [])].map(runOf);
}

const startAndStore = (ctx: Ctx, runIds: readonly string[]) =>
  ctx.db.execute<RunRow>(sql`
    with locked as materialized (${lockedRuns(ctx, runIds)})
    update rule_runs r set status = 'running', attempts = r.attempts + 1, started_at = ${NOW}, finished_at = null
    from locked
    where r.project_id = ${ctx.projectId} and r.id = locked.id
      and (r.status in ('queued', 'running') or r.status = 'failed' and not ${hasNewerRun})
    returning ${RUN_COLUMNS}`);

/** Stores that Runs are running, for those that do not finish in the transaction that has executed them. */
export async function storeRunning(tx: Ctx, runs: readonly Run[]) {
  if (runs.length === 0) return;
  await tx.db.execute(
    lockedRuns(
      tx,
      runs.map(({ id }) => id),
    ),
  );
  const update = updateOf(
    ruleRuns,
    runs.map(({ id, attempts, startedAt }) => ({
      id,
      status: "running" as const,
      attempts,
      started_at: startedAt,
      finished_at: null,
    })),
  );
  await tx.db.execute(sql`
    update rule_runs set ${update.set} from ${update.rows}
    where rule_runs.project_id = ${tx.projectId} and ${update.matches} and rule_runs.status = 'queued'`);
}

const ERROR_CHARACTERS = 2000;
/** Returns an error's message as a Run stores it. */
export const storedError = (message: string) => storedReason(message, ERROR_CHARACTERS);
