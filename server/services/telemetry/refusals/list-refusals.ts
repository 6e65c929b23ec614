import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import type { RefusalReason } from "@/db/schema/enumerations";
import type { Ctx } from "@/server/platform/context";
import { MINUTE_MS } from "@/server/platform/durations";
import { networkOf } from "@/server/platform/http/visitor-network";
import { rightsOf } from "@/server/platform/installation-rights";
import { verb } from "@/server/platform/verb";
import { REFUSALS } from "./reasons";
import { listRefusalsInput, REFUSALS_SHOWN_MINUTES, REFUSALS_STORED_MINUTES, refusalsReply } from "./schemas";
import { hashOfNetwork } from "./store-refusals";

const KEYS_SHOWN = 5;

type From = "project" | "own_network" | "elsewhere";
type Row = { reason: RefusalReason; from: From; count: number; last_at: string; key_ids: string[] };

/** Refused requests by reason. */
export const listRefusals = verb(
  {
    name: "telemetry.refusals",
    summary: "List why requests with telemetry were refused in the last minutes, with counts and remedies.",
    description: `\`minutes\` is ${REFUSALS_SHOWN_MINUTES} by default, and at most ${REFUSALS_STORED_MINUTES}. The last refused come first. Counts are stored within 10 s. A revoked or mistyped key still names its project. Requests that named no key have none: people see those from their own network, and owners of the installation all (\`from\`). \`metrics_not_stored\` counts requests that got a 200. Single spans that were refused are on the receipt of their batch.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: listRefusalsInput,
    reply: refusalsReply,
  },
  async (ctx, { minutes }) => {
    const { network, seesAll } = await readerOf(ctx);
    const since = sql`${NOW} - ${minutes * MINUTE_MS}::bigint`;
    const recent = sql`minute > ${since} - ${MINUTE_MS}::bigint and last_at >= ${since}`;
    const rows = await ctx.db.execute<Row>(sql`
      select reason, "from", sum(count)::float8 as count, max(last_at) as last_at,
        coalesce((array_agg(distinct key_id) filter (where key_id is not null))[1:${KEYS_SHOWN}], '{}') as key_ids
      from (
        select *, 'project' as "from" from telemetry_refusals where project_id = ${ctx.projectId} and ${recent}
        union all
        select *, case when source = ${network}::text then 'own_network' else 'elsewhere' end
        from telemetry_refusals
        where project_id is null and ${recent} and (source = ${network}::text or ${seesAll})
      ) refused
      group by reason, "from" order by max(last_at) desc, reason, "from"`);
    const [clock] = await ctx.db.execute<{ now: string }>(sql`select ${NOW} as now`);
    return {
      at: Number(clock?.now),
      refusals: [...rows].map(({ reason, from, count, last_at, key_ids }) => ({
        reason,
        from,
        ...REFUSALS[reason],
        count,
        lastAt: Number(last_at),
        keyIds: key_ids,
      })),
    };
  },
);

/** Returns which refusals without a project the reader may see. */
async function readerOf({ db, actor, request }: Ctx): Promise<{ network: string | null; seesAll: boolean }> {
  if (actor.kind !== "user") return { network: null, seesAll: false };
  const rights = await rightsOf(db, actor.userId);
  return {
    network: request?.address ? hashOfNetwork(networkOf(request.address)) : null,
    seesAll: rights.includes("people:manage"),
  };
}
