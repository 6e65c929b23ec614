import { and, count, eq, inArray } from "drizzle-orm";
import { trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { rightsOf } from "@/server/platform/installation-rights";
import { verb } from "@/server/platform/verb";
import { RUNNING_JOB_STATUSES } from "@/server/services/training/jobs/schemas";
import { trainerJson } from "./capabilities";
import { FINE_TUNING_READERS } from "./readers";
import { listTrainersInput, trainersReply } from "./schemas";
import { attachedTrainers } from "./trainer-rows";

const mayManage = async ({ db, actor }: Ctx) =>
  actor.kind === "user" && (await rightsOf(db, actor.userId)).includes("trainers:manage");

/** Returns how many jobs of the project each trainer is working on, by the trainer's id. */
async function jobsRunningOf({ db, projectId }: Ctx): Promise<Map<string | null, number>> {
  const rows = await db
    .select({ trainerId: trainingJobs.trainerId, jobs: count() })
    .from(trainingJobs)
    .where(and(eq(trainingJobs.projectId, projectId), inArray(trainingJobs.status, [...RUNNING_JOB_STATUSES])))
    .groupBy(trainingJobs.trainerId);
  return new Map(rows.map(({ trainerId, jobs }) => [trainerId, jobs]));
}

export const listTrainers = verb(
  {
    name: "trainers.list",
    summary: "List the trainers of this installation, with what each can do and why it can't do the rest.",
    description:
      "Trainers are shared by all projects. One of the kind `url` was called by an earlier release, and does nothing until it gets a key. Without any, the list is empty and what needs one is a 501.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listTrainersInput,
    reply: trainersReply,
  },
  async (ctx) => {
    const rows = await attachedTrainers(ctx.db);
    const manages = await mayManage(ctx);
    const running = manages ? undefined : await jobsRunningOf(ctx);
    return {
      // What other projects train is not for this project's members; who may remove a trainer needs to know of all its jobs.
      trainers: rows.map((row) => trainerJson(running ? { ...row, jobsRunning: running.get(row.id) ?? 0 } : row)),
      mayManage: manages,
    };
  },
);
