import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { inOrder } from "@/db/in-order";
import { env } from "@/env";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { diagnosticsStatusReply } from "../schemas";
import { readSettings } from "./settings";

/** Counts stop here: open pages poll every 10 s, and nobody needs an exact count of hundreds of thousands. */
const COUNT_MAX = 1000;

/**
 * Follows the order of the index by status, because an ordered index scan marks the many dead entries of Runs whose status
 * changed, so later scans skip them. Written as a range because for an equality the planner drops the status from the
 * order and may scan all Runs from the newest for a rare status.
 */
const newestRuns = (ctx: Ctx, status: "queued" | "running" | "completed", limit: number) => sql`
  select finished_at from rule_runs
  where project_id = ${ctx.projectId} and status >= ${status} and status <= ${status}
  order by status, created_at desc, id desc limit ${limit}`;

type Covered = { conversations: number; read: number; waiting: number; last: string | null };

/**
 * Without sorting, an index in the order of conversations finds each next one. Until the Runs of a new project have been
 * analysed, the planner would find each by sorting all Runs of the project: 20 s for 3,000 conversations.
 */
const WITHOUT_SORTING = sql`set local enable_sort = off`;

async function readCovered(ctx: Ctx): Promise<Covered | undefined> {
  const next = (after: SQL) => sql`
    select r.conversation_id from rule_runs r
    where r.project_id = ${ctx.projectId} and r.status = 'completed' ${after}
    order by r.conversation_id limit 1`;
  const covered = sql`
    with recursive read(id) as (
      (${next(sql``)})
      union all
      select (${next(sql`and r.conversation_id > read.id`)}) from read where read.id is not null
    )
    select
      (select count(*)::int from (
        select 1 from conversations where project_id = ${ctx.projectId} order by started_at desc limit ${COUNT_MAX}) c) as conversations,
      (select count(id)::int from (select id from read limit ${COUNT_MAX}) r) as read,
      (select least(${COUNT_MAX}, count(*))::int from (
        (${newestRuns(ctx, "queued", COUNT_MAX)}) union all (${newestRuns(ctx, "running", COUNT_MAX)})) w) as waiting,
      (${newestRuns(ctx, "completed", 1)}) as last`;
  const [, rows] = await inTransaction(ctx, ({ db }) => inOrder<Covered>(db, [WITHOUT_SORTING, covered]));
  return rows?.[0];
}

export const diagnosticsStatus = verb(
  {
    name: "diagnostics.status",
    summary: "Read what diagnosis has covered so far, to interpret an empty list of Findings.",
    description: `Counts stop at ${COUNT_MAX.toLocaleString("en")}.`,
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: diagnosticsStatusReply,
  },
  async (ctx) => {
    const row = await readCovered(ctx);
    return {
      status: {
        ...(await readSettings(ctx)),
        inactiveAfterSeconds: env().DIAGNOSE_AFTER_QUIET_SECONDS,
        conversations: row?.conversations ?? 0,
        conversationsRead: row?.read ?? 0,
        runsWaiting: row?.waiting ?? 0,
        lastRunFinishedAt: row?.last ? Number(row.last) : null,
      },
    };
  },
);
