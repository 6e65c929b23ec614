import { and, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { checkpoints, evaluations, trainingJobs } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { insertEvaluation } from "../evaluations/insert-evaluation";
import { prepareEvaluation } from "../evaluations/prepare-evaluation";
import { runEvaluation } from "../evaluations/run-evaluation";
import { ROWS_DEFAULT } from "../evaluations/schemas";
import { insertJob } from "../jobs/insert-job";
import { prepareJob } from "../jobs/prepare-job";
import { runTrainingJob } from "../jobs/run-job";
import { createJobInput } from "../jobs/schemas";
import { RECORDED_TRAINER } from "../trainers";
import { recordedTimes } from "../trainers/recorded/recording";

const isPlayed = ({ projectId }: Ctx) =>
  and(eq(trainingJobs.projectId, projectId), eq(trainingJobs.trainerId, RECORDED_TRAINER));

/** Ensures that concurrent processes playing a project's recording create each part only once. */
const lock = ({ db, projectId }: Ctx) =>
  db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`recording ${projectId}`}, 0))`);

/**
 * Creates the recorded job and plays it to its end. What has been played stays, so this can be interrupted anywhere and
 * repeated. Throws if the recording has other Examples or settings. Returns the id of the final checkpoint.
 */
export async function playTraining(ctx: Ctx, asked: z.input<typeof createJobInput>): Promise<string> {
  const jobId = (await playedJob(ctx)) ?? (await insertPlayed(ctx, createJobInput.parse(asked)));
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

async function insertPlayed(ctx: Ctx, asked: z.output<typeof createJobInput>): Promise<string> {
  const prepared = await prepareJob(ctx, asked, { trainerId: RECORDED_TRAINER });
  const { begin, end } = recordedTimes();
  return inTransaction(ctx, async (tx) => {
    await lock(tx);
    const known = await playedJob(tx);
    if (known !== undefined) return known;
    const { id } = await insertJob(tx, asked, prepared);
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

type Choice = { checkpointId: string; kind: "examples" } | { checkpointId: string; kind: "finding"; findingId: string };

/** Evaluates a played checkpoint with the recorded answers, once per choice. Throws if they belong to other prompts. */
export async function playEvaluation(ctx: Ctx, choice: Choice): Promise<void> {
  const id = (await playedEvaluation(ctx, choice)) ?? (await insertPlayedEvaluation(ctx, choice));
  while (!(await runEvaluation(ctx, id)).done);
  const [ended] = await ctx.db
    .select({ error: evaluations.error })
    .from(evaluations)
    .where(and(eq(evaluations.projectId, ctx.projectId), eq(evaluations.id, id)));
  if (ended?.error) throw new Error(`The recorded answers do not fit. ${ended.error.message ?? ""}`.trim());
}

async function playedEvaluation({ db, projectId }: Ctx, { checkpointId, kind }: Choice): Promise<string | undefined> {
  const [found] = await db
    .select({ id: evaluations.id })
    .from(evaluations)
    .where(
      and(eq(evaluations.projectId, projectId), eq(evaluations.checkpointId, checkpointId), eq(evaluations.kind, kind)),
    );
  return found?.id;
}

async function insertPlayedEvaluation(ctx: Ctx, choice: Choice): Promise<string> {
  const asked = { ...choice, maxRows: ROWS_DEFAULT };
  const prepared = await prepareEvaluation(ctx, asked);
  return inTransaction(ctx, async (tx) => {
    await lock(tx);
    return (await playedEvaluation(tx, choice)) ?? (await insertEvaluation(tx, asked, prepared));
  });
}
