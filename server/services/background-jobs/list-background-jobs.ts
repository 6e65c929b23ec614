import { and, desc, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { isOneOf } from "@/db/rows";
import { jobRuns } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { byTime } from "@/server/platform/cursor";
import { SORTED_MAX } from "@/server/platform/schemas";
import { inOrderOf, type SortKey, sortedPage } from "@/server/platform/sorted-page";
import { verb } from "@/server/platform/verb";
import { backgroundJobsJson, inState, UNFINISHED } from "./background-job-json";
import { type BackgroundJobSort, backgroundJobsReply, listBackgroundJobsInput } from "./schemas";

/** Ids per kind in the list. */
const SHOWN = 5;

type Input = Omit<z.output<typeof listBackgroundJobsInput>, "sort">;
type Filters = Omit<Input, "limit" | "cursor" | "order">;
type Sort = Exclude<BackgroundJobSort, "created">;

/** Sorted without an index. */
const SORTS: Record<Sort, SortKey> = {
  duration: { by: sql`(${jobRuns.finishedAt} - ${jobRuns.startedAt})`, type: "bigint", nullable: true },
  attempts: {
    by: sql`case when ${jobRuns.startedAt} is null then 0 else ${jobRuns.retries} + 1 end`,
    type: "bigint",
  },
};

export const listBackgroundJobs = verb(
  {
    name: "backgroundJobs.list",
    summary: "List the project's background jobs, by default newest first.",
    description: `Lists jobs of the embedded engine; an Inngest server shows its jobs in its own dashboard. Completed jobs are kept for 3 days, failed and cancelled ones for 30. \`sort\` and \`order\` (\`desc\` or \`asc\`) order the list; jobs that have not finished have no duration and come last. By anything except \`created\`, only the newest ${SORTED_MAX.toLocaleString("en")} matching jobs are sorted: \`sampled\` is true if more match.`,
    effect: "read",
    capability: "workspace:read",
    input: listBackgroundJobsInput,
    reply: backgroundJobsReply,
  },
  async (ctx, { sort, ...input }) => (sort === "created" ? listByTime(ctx, input) : listSorted(ctx, sort, input)),
);

async function listByTime(ctx: Ctx, { limit, cursor, order, ...filters }: Input) {
  const list = byTime({
    name: "background-jobs",
    filters: { project: ctx.projectId, ...filters },
    time: jobRuns.createdAt,
    id: jobRuns.id,
    order,
    limit,
    cursor,
  });
  const rows = await ctx.db
    .select()
    .from(jobRuns)
    .where(and(matchingJobs(ctx, filters), list.after))
    .orderBy(...list.order)
    .limit(list.fetch);
  const { rows: shown, nextCursor } = list.page(rows, (row) => [row.createdAt, row.id]);
  const backgroundJobs = await backgroundJobsJson(ctx, shown, SHOWN);
  return { backgroundJobs, sampled: false, pagination: { limit, nextCursor } };
}

async function listSorted(ctx: Ctx, sort: Sort, { limit, cursor, order, ...filters }: Input) {
  const { ids, nextCursor, sampled } = await sortedPage(ctx.db, {
    name: "background-jobs",
    filters: { project: ctx.projectId, ...filters },
    table: jobRuns,
    id: jobRuns.id,
    where: matchingJobs(ctx, filters),
    sort,
    key: SORTS[sort],
    order,
    among: [desc(jobRuns.createdAt), desc(jobRuns.id)],
    limit,
    cursor,
  });
  const rows = await ctx.db
    .select()
    .from(jobRuns)
    .where(and(eq(jobRuns.projectId, ctx.projectId), isOneOf(jobRuns.id, ids)));
  const backgroundJobs = await backgroundJobsJson(ctx, inOrderOf(ids, rows), SHOWN);
  return { backgroundJobs, sampled, pagination: { limit, nextCursor } };
}

const matchingJobs = (
  { projectId }: Ctx,
  { state, finished, functionId, createdAfter, createdBefore }: Filters,
): SQL | undefined =>
  and(
    eq(jobRuns.projectId, projectId),
    state && inState(state),
    finished === undefined ? undefined : finished ? isNotNull(jobRuns.finishedAt) : UNFINISHED,
    functionId === undefined ? undefined : eq(jobRuns.functionId, functionId),
    createdAfter === undefined ? undefined : gte(jobRuns.createdAt, createdAfter),
    createdBefore === undefined ? undefined : lt(jobRuns.createdAt, createdBefore),
  );
