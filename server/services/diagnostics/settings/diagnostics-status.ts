import { sql } from "drizzle-orm";
import { z } from "zod";
import { env } from "@/env";
import type { Ctx } from "@/server/platform/context";
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

/**
 * Written so that no index matches it: while a backfill runs, the statistics may date from a moment when no Run was completed,
 * and the planner would find each next conversation by reading and sorting every completed Run, a thousand times.
 */
const isCompleted = sql`r.status || '' = 'completed'`;

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
    const [row] = await ctx.db.execute<{
      conversations: number;
      read: number;
      waiting: number;
      last: string | null;
    }>(sql`
      with recursive read(id) as (
        (select r.conversation_id from rule_runs r where r.project_id = ${ctx.projectId} and ${isCompleted}
         order by r.conversation_id limit 1)
        union all
        select (
          select r.conversation_id from rule_runs r
          where r.project_id = ${ctx.projectId} and r.conversation_id > read.id and ${isCompleted}
          order by r.conversation_id limit 1) from read where read.id is not null
      )
      select
        (select count(*)::int from (
          select 1 from conversations where project_id = ${ctx.projectId} order by started_at desc limit ${COUNT_MAX}) c) as conversations,
        (select count(id)::int from (select id from read limit ${COUNT_MAX}) r) as read,
        (select least(${COUNT_MAX}, count(*))::int from (
          (${newestRuns(ctx, "queued", COUNT_MAX)}) union all (${newestRuns(ctx, "running", COUNT_MAX)})) w) as waiting,
        (${newestRuns(ctx, "completed", 1)}) as last`);
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
