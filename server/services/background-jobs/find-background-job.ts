import { and, eq } from "drizzle-orm";
import { jobRuns } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { backgroundJobsJson, type Row } from "./background-job-json";

/** Ids of one kind that are shown of a job that is read alone: all of an event's. */
const SHOWN = 100;

/** The project's own: jobs of the whole installation have no project and are the operator's. */
export async function findBackgroundJob(ctx: Ctx, id: string, { lock = false } = {}): Promise<Row> {
  const query = ctx.db
    .select()
    .from(jobRuns)
    .where(and(eq(jobRuns.projectId, ctx.projectId), eq(jobRuns.id, id)));
  const [row] = await (lock ? query.for("update") : query);
  if (!row) throw notFound("Background job");
  return row;
}

export async function backgroundJobJson(ctx: Ctx, row: Row) {
  const [job] = await backgroundJobsJson(ctx, [row], SHOWN);
  return job!;
}
