import { and, eq } from "drizzle-orm";
import { jobRuns } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { backgroundJobsJson, type Row } from "./background-job-json";

/** Ids per kind when a single job is read: all that an event carries. */
const SHOWN = 100;

/** Returns a job of the project; throws `not_found` for jobs of the installation, which only the operator sees. */
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
