import { sql } from "drizzle-orm";
import { csvLine } from "@/server/platform/csv";
import { verb } from "@/server/platform/verb";
import { KNOWN_BUCKETS } from "@/server/services/pricing/usage/schemas";
import { costSource } from "./cost-source";
import { SUMS, type SumsRow, wholeDays } from "./daily-costs";
import { requireDays } from "./require-range";
import { type CostsFile, exportCostsInput, exportCostsReply } from "./schemas";

const ROWS_MAX = 100_000;

/** Buckets with their own column; all others go into `other_usage` as JSON. */
const BUCKETS: readonly string[] = KNOWN_BUCKETS;
const SUM_COLUMNS = ["calls", "unpriced_calls", "cost_usd", "cost_complete", ...BUCKETS, "other_usage"];

/** Columns of each file, in addition to the day. */
const FILES = {
  model: {
    name: "costs",
    columns: ["model", "provider", "vendor", "model_price_id"],
    order: ["model", "provider", "model_price_id"],
  },
  label: { name: "costs-by-label", columns: ["label"], order: ["label"] },
  user: { name: "costs-by-user", columns: ["user_id"], order: ["user_id"] },
} as const satisfies Record<CostsFile, object>;

type Column = (typeof FILES)[keyof typeof FILES]["columns"][number];
type Row = SumsRow & { [column in Column]?: string } & { day: string; usage: Record<string, number> };

export const exportCosts = verb(
  {
    name: "costs.export",
    summary:
      "Export the costs of model calls as CSV, with one row per day, model, provider and definition, or per day and label or user.",
    description: `Grouped by \`label\`, a call counts in each label of its conversation, so rows must not be added up. By \`user\` it also requires \`diagnostics:read\` or \`project:data:read\`. Costs have full precision; an unknown cost is empty. \`cost_complete\` is \`false\` where a cost excludes \`unpriced_calls\` calls and is therefore a lower bound. Returns at most ${ROWS_MAX.toLocaleString("en")} rows; \`complete\` is \`false\` if there are more.`,
    effect: "read",
    capability: "model-pricing:read",
    input: exportCostsInput,
    reply: exportCostsReply,
  },
  async (ctx, { groupBy, ...range }) => {
    requireDays(range);
    const file = FILES[groupBy];
    const { ctes, table, mine } = costSource(ctx, groupBy, range);
    const key = sql.raw(["day", ...file.columns].join(", "));
    const rows = await ctx.db.execute<Row>(sql`
      with ${ctes} d as materialized (select * from ${table} d where ${mine}),
      units as (
        select ${key}, jsonb_object_agg(bucket, units) as usage from (
          select ${key}, u.key as bucket, sum(u.value::numeric) as units
          from d, jsonb_each_text(d.usage) as u(key, value)
          group by ${key}, u.key having sum(u.value::numeric) > 0
        ) b group by ${key}
      )
      select g.*, coalesce(units.usage, '{}') as usage from (
        select ${key}, ${SUMS} from d group by ${key} having sum(d.calls) > 0
      ) g left join units using (${key})
      order by day, ${sql.raw(file.order.join(", "))} limit ${ROWS_MAX + 1}`);
    const shown = [...rows].slice(0, ROWS_MAX);
    const { from, to } = wholeDays(range);
    return {
      csv: {
        fileName: `${file.name}-${isoDay(from)}-${isoDay(to - 1)}.csv`,
        text: [["day", ...file.columns, ...SUM_COLUMNS], ...shown.map((row) => cellsOf(row, file.columns))]
          .map(csvLine)
          .join(""),
        rows: shown.length,
        complete: rows.length <= ROWS_MAX,
      },
    };
  },
);

const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10);

function cellsOf({ usage, ...row }: Row, columns: readonly Column[]): (string | number)[] {
  const others = Object.entries(usage).filter(([bucket]) => !BUCKETS.includes(bucket));
  return [
    isoDay(Number(row.day)),
    ...columns.map((column) => row[column] ?? ""),
    row.calls,
    row.unpriced_calls,
    row.exact_cost ?? "",
    String(row.unpriced_calls === 0),
    ...BUCKETS.map((bucket) => usage[bucket] ?? 0),
    others.length === 0 ? "" : JSON.stringify(Object.fromEntries(others)),
  ];
}
