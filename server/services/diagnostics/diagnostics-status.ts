import { sql } from "drizzle-orm";
import { z } from "zod";
import { verb } from "@/server/platform/verb";
import { diagnosticsStatusReply } from "./schemas";
import { readSettings } from "./settings";

/** Counting stops here: a person wants to know "all of them", not how many hundred thousand, and open pages ask every 10 s. */
const COUNTED = 1000;

export const diagnosticsStatus = verb(
  {
    name: "diagnostics.status",
    summary: "Say what diagnosis has covered: what an empty list of Findings means.",
    description: `Counts stop at ${COUNTED.toLocaleString("en")}.`,
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
      select
        (select count(*)::int from (select 1 from conversations where project_id = ${ctx.projectId} limit ${COUNTED}) c) as conversations,
        (select count(*)::int from (
          select 1 from rule_runs where project_id = ${ctx.projectId} and status = 'completed'
          group by conversation_id order by conversation_id limit ${COUNTED}) d) as read,
        (select count(*)::int from (
          select 1 from rule_runs where project_id = ${ctx.projectId} and status in ('queued', 'running') limit ${COUNTED}) w) as waiting,
        (select finished_at from rule_runs where project_id = ${ctx.projectId} and status = 'completed'
         order by created_at desc limit 1) as last`);
    return {
      status: {
        ...(await readSettings(ctx)),
        conversations: row?.conversations ?? 0,
        conversationsRead: row?.read ?? 0,
        runsWaiting: row?.waiting ?? 0,
        lastRunFinishedAt: row?.last ? Number(row.last) : null,
      },
    };
  },
);
