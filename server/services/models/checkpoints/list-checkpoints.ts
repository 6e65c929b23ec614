import { and, eq, type SQL } from "drizzle-orm";
import { checkpoints, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS, RECORDED_TRAINER } from "@/server/services/trainers";
import { parityOf } from "./parity-of";
import { type Checkpoint, checkpointIdInput, checkpointReply, checkpointsReply, listCheckpointsInput } from "./schemas";

const ofItsJob = and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId));

const select = ({ db, projectId }: Ctx, condition: SQL | undefined) =>
  db
    .select({ row: checkpoints, jobName: trainingJobs.name, trainerId: trainingJobs.trainerId })
    .from(checkpoints)
    .innerJoin(trainingJobs, ofItsJob)
    .where(and(eq(checkpoints.projectId, projectId), condition));

type Found = { row: typeof checkpoints.$inferSelect; jobName: string; trainerId: string | null };

/** Returns checkpoints with their newest certificates. */
async function checkpointsJson(ctx: Ctx, found: readonly Found[]): Promise<Checkpoint[]> {
  const parity = await parityOf(
    ctx,
    found.map(({ row }) => row.id),
  );
  return found.map(({ row: { projectId: _, ...row }, jobName, trainerId }) => ({
    ...row,
    jobName,
    recorded: trainerId === RECORDED_TRAINER,
    parity: parity.get(row.id) ?? null,
  }));
}

async function requireJob({ db, projectId }: Ctx, jobId: string) {
  const job = and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.id, jobId));
  if ((await db.$count(trainingJobs, job)) === 0) throw notFound("The job");
}

export const listCheckpoints = verb(
  {
    name: "checkpoints.list",
    summary: "List the checkpoints of one job or of all jobs, newest first.",
    description:
      "`state` is `pruned` if the trainer deleted the files, per the job's settings. `bytes` is the size of its files, which the trainer stores.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listCheckpointsInput,
    reply: checkpointsReply,
  },
  async (ctx, { jobId, limit, cursor }) => {
    if (jobId !== undefined) await requireJob(ctx, jobId);
    const list = newestFirst({
      name: "checkpoints",
      filters: { project: ctx.projectId, job: jobId },
      time: checkpoints.createdAt,
      id: checkpoints.id,
      limit,
      cursor,
    });
    const ofJob = jobId === undefined ? undefined : eq(checkpoints.jobId, jobId);
    const found = await select(ctx, and(ofJob, list.after))
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, ({ row }) => [row.createdAt, row.id]);
    return { checkpoints: await checkpointsJson(ctx, rows), nextCursor };
  },
);

export const getCheckpoint = verb(
  {
    name: "checkpoints.get",
    summary: "Read one checkpoint.",
    description:
      "`inferenceProfile` describes how to serve it: the chat template, stop tokens and context that it was trained with; `null` until it has generated an answer.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: checkpointIdInput,
    reply: checkpointReply,
  },
  async (ctx, { checkpointId }) => {
    const [found] = await select(ctx, eq(checkpoints.id, checkpointId));
    if (!found) throw notFound("The checkpoint");
    const [checkpoint] = await checkpointsJson(ctx, [found]);
    return { checkpoint: checkpoint as Checkpoint };
  },
);
