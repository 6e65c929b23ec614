import { type SQL, sql } from "drizzle-orm";
import { rowsOf } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { Cost, Usage } from "@/server/services/pricing/schemas";
import { type CallKey, MODEL_OF_CALL } from "@/server/services/telemetry";
import type { PricedCall } from "./repricing/plan-repricing";

type Row = {
  trace_id: string;
  span_id: string;
  conversation_id: string;
  started_at: string;
  provider: string | null;
  requested_model: string | null;
  response_model: string | null;
  usage: Usage | null;
  cost_total: string | null;
  cost: Cost | null;
};

const COLUMNS = sql`m.trace_id, m.span_id, m.conversation_id, m.started_at, m.provider, m.requested_model, m.response_model,
  m.usage, m.cost_total, m.cost`;

const callOf = (row: Row): PricedCall => ({
  traceId: row.trace_id,
  spanId: row.span_id,
  conversationId: row.conversation_id,
  startedAt: Number(row.started_at),
  provider: row.provider,
  requestedModel: row.requested_model,
  responseModel: row.response_model,
  usage: row.usage,
  costTotal: row.cost_total,
  cost: row.cost,
});

/** Position of the last call that was read. */
export type Cursor = readonly [startedAt: number, traceId: string, spanId: string];
export const cursorOf = ({ startedAt, traceId, spanId }: PricedCall): Cursor => [startedAt, traceId, spanId];

export type CallRange = { from: number; to: number; model: string | null };

const DIRECTIONS = {
  oldestFirst: { beyond: sql`>`, bound: sql`>=`, order: sql`m.started_at, m.trace_id, m.span_id` },
  newestFirst: { beyond: sql`<`, bound: sql`<=`, order: sql`m.started_at desc, m.trace_id desc, m.span_id desc` },
};

/** Returns calls made in `[from, to)`, beyond the cursor. */
export async function readCalls(
  { db, projectId }: Ctx,
  { from, to, model }: CallRange,
  { after, limit, direction }: { after: Cursor | null; limit: number; direction: keyof typeof DIRECTIONS },
): Promise<PricedCall[]> {
  const { beyond, bound, order } = DIRECTIONS[direction];
  // Repeats the bound on the time alone so that the index, which has only the time, can be used.
  const behind: SQL = after
    ? sql`and m.started_at ${bound} ${after[0]}::bigint
        and (m.started_at, m.trace_id, m.span_id) ${beyond} (${after[0]}::bigint, ${after[1]}::text, ${after[2]}::text)`
    : sql``;
  const rows = await db.execute<Row>(sql`
    select ${COLUMNS} from model_calls m
    where m.project_id = ${projectId} and m.started_at >= ${from}::bigint and m.started_at < ${to}::bigint ${behind}
      ${model === null ? sql`` : sql`and ${MODEL_OF_CALL} = ${model}`}
    order by ${order} limit ${limit}`);
  return [...rows].map(callOf);
}

/** Returns the current state of those of these calls that still exist. */
export async function rereadCalls({ db, projectId }: Ctx, keys: readonly CallKey[]): Promise<PricedCall[]> {
  const rows = await db.execute<Row>(sql`
    select ${COLUMNS}
    from ${rowsOf(keys, '"traceId" text, "spanId" text')}
    join model_calls m on m.project_id = ${projectId} and m.trace_id = t."traceId" and m.span_id = t."spanId"`);
  return [...rows].map(callOf);
}
