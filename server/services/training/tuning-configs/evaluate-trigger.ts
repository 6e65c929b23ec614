import { and, desc, eq, inArray, lte, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { trainingJobs, triggerDecisions, tuningConfigs } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { insertJob } from "../jobs/insert-job";
import { type PreparedJob, prepareJob } from "../jobs/prepare-job";
import { UNFINISHED_JOB_STATUSES } from "../jobs/schemas";
import { type ConfigRow, countNewExamples, isConfig, isDeletedStart, lastStartOf } from "./read-configs";
import { nextCheck } from "./schedule";
import { createTuningConfigInput } from "./schemas";

const DUE_AT_ONCE = 100;
const MESSAGE_CHARACTERS = 1_000;

type Decision = { outcome: "started" | "skipped" | "failed"; reason: string; message: string; jobId?: string };
const skipped = (reason: string, message: string): Decision => ({ outcome: "skipped", reason, message });

/** Returns the configurations of all projects whose trigger is due, the longest overdue first. */
export const dueTuningConfigs = (db: Db) =>
  db
    .select({ projectId: tuningConfigs.projectId, configId: tuningConfigs.id })
    .from(tuningConfigs)
    .where(lte(tuningConfigs.dueAt, NOW))
    .orderBy(tuningConfigs.dueAt)
    .limit(DUE_AT_ONCE);

/** Counts the jobs of a configuration that meet the condition. */
const countJobs = ({ db, projectId }: Ctx, configId: string, condition: Parameters<typeof and>[0]) =>
  db.$count(
    trainingJobs,
    and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.tuningConfigId, configId), condition),
  );

/** Returns why a configuration cannot start a job at this time (Unix ms); `null` if it can. */
async function obstacleOf(ctx: Ctx, row: ConfigRow, now: number): Promise<Decision | null> {
  const { id, cooldownMinutes, dailyCap, minNewExamples, datasetId } = row;
  if ((await countJobs(ctx, id, inArray(trainingJobs.status, [...UNFINISHED_JOB_STATUSES]))) > 0) {
    return skipped("running", "A job of this configuration has not ended yet.");
  }
  const last = await lastStartOf(ctx, id);
  if (last > 0 && last + cooldownMinutes * MINUTE_MS > now) {
    return skipped("cooldown", `The last job started less than ${cooldownMinutes} minutes ago.`);
  }
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const deleted = await ctx.db.$count(
    triggerDecisions,
    and(isDeletedStart(ctx, id), sql`${triggerDecisions.createdAt} >= ${today}`),
  );
  if (deleted + (await countJobs(ctx, id, sql`${trainingJobs.createdAt} >= ${today}`)) >= dailyCap) {
    return skipped("daily_cap", `It started ${dailyCap} of at most ${dailyCap} jobs today (UTC).`);
  }
  const added = await countNewExamples(ctx, datasetId, last);
  if (added < minNewExamples) {
    return skipped("not_enough_examples", `${added} of ${minNewExamples} new Examples to train on.`);
  }
  return null;
}

/**
 * Decides whether a due configuration starts a job, and if so starts it, with the reason. Everything is checked again under the
 * configuration's lock, in the transaction that queues the job: two workers start one job, and one that dies starts none.
 */
export async function evaluateTrigger(ctx: Ctx, configId: string): Promise<Decision | null> {
  const [row] = await ctx.db.select().from(tuningConfigs).where(isConfig(ctx, configId));
  const now = await databaseNow(ctx.db);
  if (!row || row.dueAt === null || row.dueAt > now) return null;
  const input = createTuningConfigInput.parse({
    ...row.settings,
    name: row.name,
    datasetId: row.datasetId,
    baseModel: row.baseModel,
    method: row.method,
    adapter: row.adapter,
  });
  let prepared: PreparedJob | undefined;
  let decision = await obstacleOf(ctx, row, now);
  if (!decision) {
    try {
      prepared = await prepareJob(ctx, input);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      decision = { outcome: "failed", reason: error.code, message: error.message };
    }
  }
  return inTransaction(ctx, async (tx) => {
    const [current] = await tx.db.select().from(tuningConfigs).where(isConfig(tx, configId)).for("update");
    // It has changed, or another worker has decided, since it was read.
    if (!current || current.dueAt !== row.dueAt || current.updatedAt !== row.updatedAt) return null;
    const made =
      decision ?? (await obstacleOf(tx, current, now)) ?? (await start(tx, current, prepared as PreparedJob));
    await record(tx, configId, made);
    await tx.db
      .update(tuningConfigs)
      .set({ dueAt: nextCheck(current.cron, now) })
      .where(isConfig(tx, configId));
    return made;
  });
}

async function start(tx: Ctx, row: ConfigRow, prepared: PreparedJob): Promise<Decision> {
  const { sha256 } = prepared.frozen.train;
  if ((await countJobs(tx, row.id, eq(trainingJobs.manifestSha256, sha256))) > 0) {
    return skipped("already_trained", "It has already trained on exactly these Examples.");
  }
  const { id } = await insertJob(tx, { ...row, name: undefined, tuningConfigId: row.id }, prepared);
  return { outcome: "started", reason: "enough_examples", message: "There were enough new Examples.", jobId: id };
}

/** Stores a decision; if it equals the previous one, increments that one's count. */
async function record(tx: Ctx, configId: string, { outcome, reason, message, jobId = undefined }: Decision) {
  const ofConfig = and(eq(triggerDecisions.projectId, tx.projectId), eq(triggerDecisions.configId, configId));
  const [last] = await tx.db
    .select()
    .from(triggerDecisions)
    .where(ofConfig)
    .orderBy(desc(triggerDecisions.createdAt), desc(triggerDecisions.id))
    .limit(1);
  const text = message.slice(0, MESSAGE_CHARACTERS);
  if (last && last.outcome === outcome && last.reason === reason && outcome !== "started") {
    await tx.db
      .update(triggerDecisions)
      .set({ times: last.times + 1, lastAt: NOW, message: text })
      .where(and(ofConfig, eq(triggerDecisions.id, last.id)));
    return;
  }
  await tx.db.insert(triggerDecisions).values({
    projectId: tx.projectId,
    id: newId("tgd"),
    configId,
    outcome,
    reason,
    message: text,
    jobId: jobId ?? null,
    lastAt: NOW,
  });
}
