import { sql } from "drizzle-orm";
import { modelCalls } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { COUNTED } from "./conversation-facets";
import type { CallsSummary } from "./schemas";

type Row = { n: number; counted: number; sampled: boolean; errors: number; p95_ms: number | null };

/** Returns how the newest model calls of several ranges `[from, to)` went, in one statement. */
export async function summariseCalls(
  { db, projectId }: Ctx,
  ranges: readonly { from: number; to: number }[],
): Promise<CallsSummary[]> {
  const each = ranges.map(
    ({ from, to }, n) => sql`
      select ${n}::int as n, count(*) filter (where place <= ${COUNTED})::int as counted,
        count(*) > ${COUNTED} as sampled, count(*) filter (where status = 'error' and place <= ${COUNTED})::int as errors,
        percentile_disc(0.95) within group (order by took) filter (where place <= ${COUNTED})::float8 as p95_ms
      from (
        select status, ended_at - started_at as took, row_number() over (order by started_at desc) as place from ${modelCalls}
        where project_id = ${projectId} and started_at >= ${from}::bigint and started_at < ${to}::bigint
        order by started_at desc limit ${COUNTED + 1}
      ) newest`,
  );
  const rows = await db.execute<Row>(sql.join(each, sql` union all `));
  return ranges.map((_, n) => {
    const row = rows.find((one) => one.n === n);
    if (!row) throw new Error("A range was not counted.");
    return { counted: row.counted, sampled: row.sampled, errors: row.errors, p95Ms: row.p95_ms };
  });
}
