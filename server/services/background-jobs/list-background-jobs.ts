import { and, eq, gte, isNotNull, lt } from "drizzle-orm";
import { jobRuns } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { backgroundJobsJson, inState, UNFINISHED } from "./background-job-json";
import { backgroundJobsReply, listBackgroundJobsInput } from "./schemas";

/** Ids per kind in the list. */
const SHOWN = 5;

export const listBackgroundJobs = verb(
  {
    name: "backgroundJobs.list",
    summary: "List the project's background jobs, newest first.",
    description:
      "Lists jobs of the embedded engine; an Inngest server shows its jobs in its own dashboard. Completed jobs are kept for 3 days, failed and cancelled ones for 30.",
    effect: "read",
    capability: "workspace:read",
    input: listBackgroundJobsInput,
    reply: backgroundJobsReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const { state, finished, functionId, createdAfter, createdBefore } = filters;
    const list = newestFirst({
      name: "background-jobs",
      filters: { project: ctx.projectId, ...filters },
      time: jobRuns.createdAt,
      id: jobRuns.id,
      limit,
      cursor,
    });
    const rows = await ctx.db
      .select()
      .from(jobRuns)
      .where(
        and(
          eq(jobRuns.projectId, ctx.projectId),
          state && inState(state),
          finished === undefined ? undefined : finished ? isNotNull(jobRuns.finishedAt) : UNFINISHED,
          functionId === undefined ? undefined : eq(jobRuns.functionId, functionId),
          createdAfter === undefined ? undefined : gte(jobRuns.createdAt, createdAfter),
          createdBefore === undefined ? undefined : lt(jobRuns.createdAt, createdBefore),
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows: shown, nextCursor } = list.page(rows, (row) => [row.createdAt, row.id]);
    return { backgroundJobs: await backgroundJobsJson(ctx, shown, SHOWN), pagination: { limit, nextCursor } };
  },
);
