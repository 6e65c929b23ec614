import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { exampleRevisions, trainingJobs, triggerDecisions, tuningConfigs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { TuningConfig } from "./schemas";

export type ConfigRow = typeof tuningConfigs.$inferSelect;
type DecisionRow = typeof triggerDecisions.$inferSelect;

/** Restricts a query to one configuration of the project. */
export const isConfig = ({ projectId }: Ctx, configId: string) =>
  and(eq(tuningConfigs.projectId, projectId), eq(tuningConfigs.id, configId));

export const decisionJson = ({ projectId: _, configId: __, ...decision }: DecisionRow) => decision;

/** Returns the newest job of a configuration. */
async function lastJobOf({ db, projectId }: Pick<Ctx, "db" | "projectId">, configId: string) {
  const [job] = await db
    .select({ id: trainingJobs.id, createdAt: trainingJobs.createdAt })
    .from(trainingJobs)
    .where(and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.tuningConfigId, configId)))
    .orderBy(desc(trainingJobs.createdAt), desc(trainingJobs.id))
    .limit(1);
  return job ?? null;
}

/** Returns when a configuration's trigger last started a job (Unix ms), even if the job was deleted since; 0 for never. */
export async function lastStartOf({ db, projectId }: Ctx, configId: string): Promise<number> {
  const [decision] = await db
    .select({ createdAt: triggerDecisions.createdAt })
    .from(triggerDecisions)
    .where(isDeletedStart({ projectId }, configId))
    .orderBy(desc(triggerDecisions.createdAt))
    .limit(1);
  const job = await lastJobOf({ db, projectId }, configId);
  return Math.max(decision?.createdAt ?? 0, job?.createdAt ?? 0);
}

/** Condition: a decision of a configuration that started a job which was deleted since. */
export const isDeletedStart = ({ projectId }: Pick<Ctx, "projectId">, configId: string) =>
  and(
    eq(triggerDecisions.projectId, projectId),
    eq(triggerDecisions.configId, configId),
    eq(triggerDecisions.outcome, "started"),
    sql`not exists (select 1 from ${trainingJobs} where ${trainingJobs.projectId} = ${projectId}
      and ${trainingJobs.id} = ${triggerDecisions.jobId})`,
  );

/** Counts the current Examples of the training split that were added after a time (Unix ms). */
export const countNewExamples = ({ db, projectId }: Ctx, datasetId: string, after: number) =>
  db.$count(
    exampleRevisions,
    and(
      eq(exampleRevisions.projectId, projectId),
      eq(exampleRevisions.datasetId, datasetId),
      eq(exampleRevisions.split, "train"),
      isNull(exampleRevisions.toVersion),
      sql`${exampleRevisions.createdAt} > ${after}`,
    ),
  );

/** Configurations stored by earlier versions have no deployment name. */
const UNNAMED = { name: null };

export async function configJson(ctx: Ctx, row: ConfigRow): Promise<TuningConfig> {
  const lastJob = await lastJobOf(ctx, row.id);
  const [lastDecision] = await ctx.db
    .select()
    .from(triggerDecisions)
    .where(and(eq(triggerDecisions.projectId, ctx.projectId), eq(triggerDecisions.configId, row.id)))
    .orderBy(desc(triggerDecisions.createdAt), desc(triggerDecisions.id))
    .limit(1);
  const { triggerEnabled: enabled, minNewExamples, cron, cooldownMinutes, dailyCap } = row;
  return {
    ...row.settings,
    id: row.id,
    name: row.name,
    datasetId: row.datasetId,
    baseModel: row.baseModel,
    engine: row.engine,
    method: row.method,
    adapter: row.adapter,
    trigger: { enabled, minNewExamples, cron, cooldownMinutes, dailyCap },
    deployment: { ...UNNAMED, ...row.deployment },
    nextCheckAt: row.dueAt,
    lastDecision: lastDecision ? decisionJson(lastDecision) : null,
    newExamples: await countNewExamples(ctx, row.datasetId, await lastStartOf(ctx, row.id)),
    lastJobId: lastJob?.id ?? null,
    actorKind: row.actorKind,
    actorId: row.actorId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  } as TuningConfig;
}

export async function readConfig(ctx: Ctx, configId: string): Promise<ConfigRow> {
  const [row] = await ctx.db.select().from(tuningConfigs).where(isConfig(ctx, configId));
  if (!row) throw notFound("The tuning configuration");
  return row;
}
