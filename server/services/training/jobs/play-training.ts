import { and, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { checkpoints, trainingJobs } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { lockRecording, RECORDED_TRAINER, recordedTimes } from "@/server/services/trainers";
import { insertJob } from "./insert-job";
import { prepareJob } from "./prepare-job";
import { runTrainingJob } from "./run-job";
import { createJobInput } from "./schemas";

const isPlayed = ({ projectId }: Ctx) =>
  and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.trainerId, RECORDED_TRAINER));

/**
 * Creates the recorded job and plays it to its end. What has been played stays, so this can be interrupted anywhere and
 * repeated. Throws if the recording has other Examples or settings. Returns the id of the final checkpoint.
 */
export async function playTraining(ctx: Ctx, spec: z.input<typeof createJobInput>): Promise<string> {
  const jobId = (await playedJob(ctx)) ?? (await insertPlayed(ctx, createJobInput.parse(spec)));
  while (!(await runTrainingJob(ctx, jobId)).done);
  await moveToRecordedTimes(ctx, jobId);
  const [final] = await ctx.db
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, ctx.projectId), eq(checkpoints.jobId, jobId), checkpoints.isFinal));
  if (final) return final.id;
  const [job] = await ctx.db.select({ error: trainingJobs.error }).from(trainingJobs).where(isPlayed(ctx));
  throw new Error(`The recorded training cannot be played. ${job?.error?.message ?? ""}`.trim());
}

async function playedJob(ctx: Ctx): Promise<string | undefined> {
  const [job] = await ctx.db.select({ id: trainingJobs.id }).from(trainingJobs).where(isPlayed(ctx));
  return job?.id;
}

async function insertPlayed(ctx: Ctx, input: z.output<typeof createJobInput>): Promise<string> {
  const prepared = await prepareJob(ctx, input, { trainerId: RECORDED_TRAINER });
  const { begin, end } = recordedTimes();
  return inTransaction(ctx, async (tx) => {
    await lockRecording(tx);
    const known = await playedJob(tx);
    if (known !== undefined) return known;
    const { id } = await insertJob(tx, input, prepared);
    // Makes the training look as if it had taken its recorded time and had just ended.
    const createdAt = sql<number>`${trainingJobs.createdAt} - ${end - begin}::bigint`;
    await tx.db.update(trainingJobs).set({ createdAt }).where(isPlayed(tx));
    return id;
  });
}

/** Gives a played job the times of its events instead of the times at which they were stored. */
const moveToRecordedTimes = ({ db, projectId }: Ctx, jobId: string) =>
  db.execute(sql`
    update training_jobs j set dispatched_at = j.created_at, started_at = e.started, finished_at = e.ended
    from (
      select min(at) filter (where type = 'job.status' and data ->> 'status' = 'running') as started, max(at) as ended
      from training_events where project_id = ${projectId} and job_id = ${jobId}
    ) e
    where j.project_id = ${projectId} and j.id = ${jobId} and j.finished_at is not null and e.ended is not null`);
