import { and, eq, inArray, isNotNull, not, type SQL, sql } from "drizzle-orm";
import { v4 } from "uuid";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { jobRuns } from "@/db/schema/engine";
import type { ClockWatch } from "@/server/platform/database/clock-watch";
import { type Candidate, chooseRuns } from "./choose-runs";

/** A run leased by this process: its writes are accepted while the run's row has `token`. */
export type Claim = { runId: string; token: string };

/** An arbitrary advisory lock id. */
const CLAIM_LOCK = 7_231_004_118;

/** No process holds a lease that ends later: the clock was set back since, perhaps after the process died. */
const LEASE_MAX_MS = 60_000;

/** Whether a run's lease has expired. */
export const leaseExpired = (now: SQL) => sql`(lease_until < ${now} or lease_until > ${now} + ${LEASE_MAX_MS}::bigint)`;

/** A process suspended in the middle of a claim must not block the others forever. */
const MAX_CLAIM_MS = 10_000;

type ClaimOptions = {
  functionIds: readonly string[];
  slots: number;
  leaseMs: number;
  /** Runs in progress in this process: it must not claim its own run because a lease expired. */
  except: readonly string[];
  /** While the database's clock is unsteady, only runs without a lease are claimed. */
  clock?: ClockWatch;
};

/**
 * Claims up to `slots` due runs under a lease. One process claims at a time, so that concurrency limits are exact across
 * processes; returns none while another is claiming. Locked rows are skipped.
 */
export function claimRuns(db: Db, options: ClaimOptions): Promise<Claim[]> {
  return db.transaction(async (tx) => {
    const askedAt = performance.now();
    const [turn] = await rows<{ mine: boolean; now: string }>(
      tx,
      sql`select pg_try_advisory_xact_lock(${CLAIM_LOCK}) as mine, ${NOW} as now,
        set_config('idle_in_transaction_session_timeout', ${String(MAX_CLAIM_MS)}, true)`,
    );
    if (!turn?.mine) return [];
    const now = Number(turn.now);
    const expired =
      options.clock && !options.clock.isSteady(now, askedAt) ? sql`false` : leaseExpired(sql`${now}::bigint`);
    const candidates = await dueRuns(tx, options, { now, expired });
    if (candidates.length === 0) return [];

    const chosen = chooseRuns(candidates, await runningRuns(tx, expired), options.slots).map(({ id }) => id);
    if (chosen.length === 0) return [];
    const token = v4();
    const free = tx
      .select({ id: jobRuns.id })
      .from(jobRuns)
      .where(and(isOneOf(jobRuns.id, chosen), isNotNull(jobRuns.dueAt)))
      .for("update", { skipLocked: true });
    const claimed = await tx
      .update(jobRuns)
      .set({
        state: "running",
        leaseToken: token,
        leaseUntil: now + options.leaseMs,
        startedAt: sql`coalesce(${jobRuns.startedAt}, ${now})`,
        // A leftover token means that a process died in its turn: the function is called again.
        crashes: sql`${jobRuns.crashes} + (${jobRuns.leaseToken} is not null)::int`,
        callAt: sql`case when ${jobRuns.leaseToken} is null then ${jobRuns.callAt} else ${now}::bigint end`,
      })
      .where(inArray(jobRuns.id, free))
      .returning({ runId: jobRuns.id });
    return claimed.map(({ runId }) => ({ runId, token }));
  });
}

/** Returns the front of every lane. Lanes are found by an index skip scan, so the length of a backlog does not matter. */
async function dueRuns(
  tx: Db,
  { functionIds, slots, except }: ClaimOptions,
  { now, expired }: { now: number; expired: SQL },
): Promise<Candidate[]> {
  const found = await rows<{ id: string; project_id: string | null; queue_at: string; concurrency_keys: never }>(
    tx,
    sql`
    with recursive lanes(lane) as (
      (select lane from job_runs where due_at is not null order by lane limit 1)
      union all
      select (select r.lane from job_runs r where r.due_at is not null and r.lane > l.lane order by r.lane limit 1)
      from lanes l where l.lane is not null
    )
    select front.* from lanes l cross join lateral (
      select r.id, r.project_id, r.queue_at, r.concurrency_keys from job_runs r
      where r.lane = l.lane and r.due_at <= ${now}
        and (r.lease_token is null or ${expired})
        and r.function_id in ${[...functionIds]}
        and ${except.length > 0 ? sql`r.id not in ${[...except]}` : sql`true`}
      order by r.queue_at limit ${slots}
    ) front where l.lane is not null`,
  );
  return found.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    queueAt: Number(row.queue_at),
    concurrencyKeys: row.concurrency_keys,
  }));
}

const runningRuns = (tx: Db, expired: SQL) =>
  tx
    .select({ projectId: jobRuns.projectId, concurrencyKeys: jobRuns.concurrencyKeys })
    .from(jobRuns)
    .where(and(isNotNull(jobRuns.leaseToken), not(expired)));

/** Renews the leases of claims and returns the claims that are still ours. */
export async function renewLeases(db: Db, claims: readonly Claim[], leaseMs: number): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const tokens = new Map(claims.map((claim) => [claim.runId, claim.token]));
  const renewed = await db
    .update(jobRuns)
    .set({ leaseUntil: sql`${NOW} + ${leaseMs}` })
    .where(
      sql`(${jobRuns.id}, ${jobRuns.leaseToken}) in (${sql.join(
        claims.map(({ runId, token }) => sql`(${runId}, ${token})`),
        sql`, `,
      )})`,
    )
    .returning({ runId: jobRuns.id });
  return renewed.map(({ runId }) => ({ runId, token: tokens.get(runId) ?? "" }));
}

/** Releases runs that this process cannot finish, so that another need not wait for the lease to expire. */
export async function releaseClaims(db: Db, claims: readonly Claim[]) {
  for (const { runId, token } of claims) {
    await db
      .update(jobRuns)
      .set({ state: "queued", leaseToken: null, leaseUntil: null, callAt: NOW, dueAt: NOW })
      .where(and(eq(jobRuns.id, runId), eq(jobRuns.leaseToken, token)));
  }
}

const rows = async <T>(db: Db, query: ReturnType<typeof sql>) => (await db.execute(query)) as unknown as T[];
