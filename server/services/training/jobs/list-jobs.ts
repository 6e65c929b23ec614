import { and, eq, inArray } from "drizzle-orm";
import { trainingJobs } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { readJobs } from "./read-jobs";
import { jobsReply, listJobsInput } from "./schemas";

export const listJobs = verb(
  {
    name: "trainingJobs.list",
    summary: "List training jobs, newest first.",
    description:
      "`status` takes one or more values; `datasetId` and `tuningConfigId` filter, too. Each has its progress and the newest values of its charts. Jobs are read from the database, also while no trainer is attached.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listJobsInput,
    reply: jobsReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const list = newestFirst({
      name: "training-jobs",
      filters: { project: ctx.projectId, ...filters },
      time: trainingJobs.createdAt,
      id: trainingJobs.id,
      limit,
      cursor,
    });
    const { status, datasetId, tuningConfigId } = filters;
    const condition = and(
      status && inArray(trainingJobs.status, status),
      datasetId === undefined ? undefined : eq(trainingJobs.datasetId, datasetId),
      tuningConfigId === undefined ? undefined : eq(trainingJobs.tuningConfigId, tuningConfigId),
      list.after,
    );
    const found = await readJobs(ctx, condition, { order: list.order, limit: list.fetch });
    const { rows, nextCursor } = list.page(found, ({ createdAt, id }) => [createdAt, id]);
    return { jobs: rows, nextCursor };
  },
);
