import { and, desc, eq, inArray, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { NOW } from "@/db/now";
import { deployments } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { deploymentDue, deploymentMoved } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { watchDeployed } from "@/server/services/diagnostics";
import type { TrainerProblem } from "@/server/services/trainers";
import { inMs, problemOf } from "@/server/services/trainers";
import { type DeploymentRow, isDeployment, isInService, isNamed, isRollOut, lockNamed } from "./read-deployments";
import type { WireDeployment } from "./wire-deployment";

/** How soon a running deployment is checked again: less than the 20 s between two polls, so that every poll checks it. */
const HEALTH_MS = 15_000;
/** Minimum time after a check before failing calls can trigger another one. */
const DOUBT_MS = 2_000;

type Change = PgUpdateSetSource<typeof deployments>;

/** Changes a deployment if it meets the condition. Returns the changed row; `undefined` if it did not. */
export async function update(
  ctx: Ctx,
  id: string,
  changed: Change,
  condition?: SQL,
): Promise<DeploymentRow | undefined> {
  const [row] = await ctx.db
    .update(deployments)
    .set({ ...changed, updatedAt: NOW })
    .where(and(isDeployment(ctx, id), condition))
    .returning();
  return row;
}

const moved = ({ projectId }: Ctx, deploymentId: string) =>
  Object.assign(deploymentMoved.create({ projectId, deploymentId }), { id: newId("evt") });

const isLive = () => isNull(deployments.endedAt);

/** A stop caused by a time limit or a failure ends with that status. */
const endOf = (error: DeploymentRow["error"]) =>
  error === null ? "stopped" : error.code === "deploy_timeout" ? "timeout" : "failed";

type End = {
  status: "stopped" | "failed" | "timeout";
  error: TrainerProblem | DeploymentRow["error"];
  stageDetail?: string | null;
  /** The trainer has not confirmed that the process is gone: it is told to stop it until it does. */
  isCleanupDue?: boolean;
};

/** Ends an unfinished deployment. The status of an ended one never changes again. */
export const end = (ctx: Ctx, id: string, { status, error, stageDetail = null, isCleanupDue = false }: End) =>
  inTransaction(ctx, async (tx) => {
    const changed: Change = {
      status,
      error: error as Record<string, unknown> | null,
      stageDetail,
      endedAt: NOW,
      staleSince: null,
      dueAt: isCleanupDue ? NOW : null,
    };
    const row = await update(tx, id, changed, isLive());
    if (row) await emit(tx.db, moved(tx, id));
    return row;
  });

/** Ends a deployment whose process is gone, or will be once its trainer can be told. */
export const endStopped = (ctx: Ctx, { id, error, stageDetail }: DeploymentRow, isCleanupDue = false) =>
  end(ctx, id, { status: endOf(error), error, stageDetail: error ? null : stageDetail, isCleanupDue });

/** Marks a deployment for stopping, in the caller's transaction: its background job tells the trainer. */
export async function requestStop(tx: Ctx, id: string, stageDetail: string, error: TrainerProblem | null = null) {
  const changed: Change = {
    status: "stopping",
    stageDetail,
    dueAt: NOW,
    ...(error ? { error: error as Record<string, unknown> } : {}),
  };
  const row = await update(tx, id, changed, and(isLive(), ne(deployments.status, "stopping")));
  if (row) await emit(tx.db, deploymentDue.create({ projectId: tx.projectId, deploymentId: id }));
  return row;
}

const late = (seconds: number) =>
  problemOf(
    "deploy_timeout",
    `It was not running within ${seconds} s.`,
    "Deploy it again with a longer time limit: large models take minutes to build, download and load.",
  );

/** Condition: it should be running by now, but is not. */
export const isLate = () => and(isRollOut(), sql`${deployments.deadlineAt} <= ${NOW}`);

/** Stops a deployment that is not running in time; it ends as timed out. A later success no longer counts. */
export const stopLate = (ctx: Ctx, { id, timeoutSeconds }: DeploymentRow) =>
  inTransaction(ctx, async (tx) => {
    const row = await update(tx, id, {}, isLate());
    if (row) await requestStop(tx, id, "Stopping it: its time limit has passed", late(timeoutSeconds));
    return row !== undefined;
  });

/** How long after the time limit the trainer may take to confirm that the process is gone. */
const GIVE_UP_MS = 30_000;

/** Ends a deployment past its time limit whose trainer is unreachable or has not stopped it: the trainer is told later. */
export async function giveUp(ctx: Ctx, id: string): Promise<void> {
  const isOver = and(
    isLive(),
    isNull(deployments.startedAt),
    isNotNull(deployments.error),
    sql`${deployments.deadlineAt} + ${GIVE_UP_MS}::bigint <= ${NOW}`,
  );
  const row = await update(ctx, id, {}, isOver);
  if (row) await endStopped(ctx, row, true);
}

const facts = (given: WireDeployment): Change => ({
  stageDetail: given.stage_detail ?? null,
  restarts: given.restarts,
  staleSince: null,
  ...(given.backend ? { backend: given.backend } : {}),
  ...(given.last_called_at === null
    ? {}
    : { lastCalledAt: sql`greatest(${deployments.lastCalledAt}, ${given.last_called_at}::bigint)` }),
});

/**
 * Makes a verified deployment the running one under its name, in one transaction: the previous one is to be drained and
 * stopped. Returns whether the switch was made: not if it was stopped in the meantime, or its time limit has passed.
 */
export const switchTo = (ctx: Ctx, row: DeploymentRow, given: WireDeployment): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    const { id, name } = row;
    const rows = await lockNamed(tx, name, isNull(deployments.endedAt));
    const inTime = await tx.db.$count(
      deployments,
      and(isDeployment(tx, id), isRollOut(), sql`${deployments.deadlineAt} > ${NOW}`),
    );
    if (inTime === 0) return false;
    const replaced = rows.filter((one) => one.id !== id && one.startedAt !== null && one.status !== "stopping");
    for (const one of replaced) await requestStop(tx, one.id, `Replaced by ${id}`);
    const newest = replaced.sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))[0];
    await update(tx, id, {
      ...facts(given),
      status: "running",
      stageDetail: null,
      startedAt: NOW,
      verifiedAt: NOW,
      firstTokenMs: given.first_token_ms == null ? null : Math.round(given.first_token_ms),
      replacesId: newest?.id ?? null,
      dueAt: inMs(HEALTH_MS),
    });
    await emit(tx.db, moved(tx, id));
    await watchFixes(tx, row);
    return true;
  });

/** Watches what the checkpoint was proven to fix, unless the name only has another deployment of the same one. */
async function watchFixes(tx: Ctx, { id, name, checkpointId, purpose }: DeploymentRow) {
  if (checkpointId === null || purpose !== "service") return;
  const [previous] = await tx.db
    .select({ checkpointId: deployments.checkpointId })
    .from(deployments)
    .where(and(isNamed(tx, name), ne(deployments.id, id), isNotNull(deployments.startedAt)))
    .orderBy(desc(deployments.startedAt))
    .limit(1);
  if (previous?.checkpointId !== checkpointId) await watchDeployed(tx, { checkpointId, model: name });
}

/** Stores a trainer's report on a deployment that has not run yet. */
export const storeProgress = (
  ctx: Ctx,
  { id }: DeploymentRow,
  given: WireDeployment & { status: "pending" | "preparing" | "starting" | "verifying" },
  againMs: number,
) => update(ctx, id, { ...facts(given), status: given.status, dueAt: inMs(againMs) }, isRollOut());

/** Stores a trainer's report on a deployment that has run: it is running, or being restarted after a crash. */
export const storeHealth = (
  ctx: Ctx,
  row: DeploymentRow,
  given: WireDeployment & { status: "pending" | "preparing" | "starting" | "verifying" | "running" },
) =>
  inTransaction(ctx, async (tx) => {
    const isRunning = given.status === "running";
    const changed: Change = {
      ...facts(given),
      status: given.status,
      ...(isRunning
        ? { stageDetail: null, ...(row.status === "running" ? {} : { verifiedAt: NOW }) }
        : { stageDetail: given.stage_detail ?? "Restarting after a crash" }),
      dueAt: inMs(HEALTH_MS),
    };
    const stored = await update(tx, row.id, changed, isInService());
    if (stored && (row.status === "running") !== isRunning) await emit(tx.db, moved(tx, row.id));
    return stored;
  });

export const markStale = (ctx: Ctx, id: string, againMs: number) =>
  update(
    ctx,
    id,
    { staleSince: sql<number>`coalesce(${deployments.staleSince}, ${NOW})`, dueAt: inMs(againMs) },
    isLive(),
  );

/**
 * Schedules an immediate check of a deployment that should be running but did not answer a call; the next poll may be 20 s
 * away.
 */
export const doubt = (ctx: Ctx, id: string) =>
  inTransaction(ctx, async (tx) => {
    const isDoubtful = and(
      eq(deployments.status, "running"),
      isNull(deployments.staleSince),
      sql`${deployments.updatedAt} <= ${NOW} - ${DOUBT_MS}::bigint`,
    );
    const row = await update(tx, id, { dueAt: NOW }, isDoubtful);
    if (row) await emit(tx.db, deploymentDue.create({ projectId: tx.projectId, deploymentId: id }));
  });

/** Schedules another check of ended deployments that their trainer still has. */
export const queueCleanup = (ctx: Pick<Ctx, "db">, ids: readonly string[]) =>
  ctx.db
    .update(deployments)
    .set({ dueAt: NOW })
    .where(
      and(
        inArray(deployments.id, [...ids]),
        inArray(deployments.status, ["stopped", "failed", "timeout"]),
        isNull(deployments.dueAt),
      ),
    )
    .returning({ projectId: deployments.projectId, id: deployments.id });
