import { sql } from "drizzle-orm";
import { verb } from "@/server/platform/verb";
import { ofDays, SUMS, type SumsRow, wholeDays } from "./daily-costs";
import { requireDays } from "./require-range";
import { exportCostsInput, exportCostsReply } from "./schemas";

const ROWS_MAX = 100_000;

/** Buckets with a column of their own; the units of all others are in `other_usage`, as JSON. */
const BUCKETS = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
];
const HEADER = [
  "day",
  "model",
  "provider",
  "vendor",
  "model_price_id",
  "calls",
  "unpriced_calls",
  "cost_usd",
  ...BUCKETS,
  "other_usage",
];

type Row = SumsRow & {
  day: string;
  model: string;
  provider: string;
  vendor: string;
  model_price_id: string;
  usage: Record<string, number>;
};

export const exportCosts = verb(
  {
    name: "costs.export",
    summary: "Write what model calls cost as CSV: a row for each day, model, provider and definition.",
    description: `Costs have every digit; an unknown one is empty. At most ${ROWS_MAX.toLocaleString("en")} rows: \`complete\` says whether that is all.`,
    effect: "read",
    capability: "model-pricing:read",
    input: exportCostsInput,
    reply: exportCostsReply,
  },
  async (ctx, range) => {
    requireDays(range);
    const rows = await ctx.db.execute<Row>(sql`
      with d as materialized (select * from daily_costs d where ${ofDays(ctx, range)}),
      units as (
        select day, model, provider, vendor, model_price_id, jsonb_object_agg(bucket, units) as usage from (
          select d.day, d.model, d.provider, d.vendor, d.model_price_id, u.key as bucket, sum(u.value::numeric) as units
          from d, jsonb_each_text(d.usage) as u(key, value)
          group by 1, 2, 3, 4, 5, 6 having sum(u.value::numeric) <> 0
        ) b group by 1, 2, 3, 4, 5
      )
      select g.*, coalesce(units.usage, '{}') as usage from (
        select day, model, provider, vendor, model_price_id, ${SUMS} from d group by 1, 2, 3, 4, 5 having sum(d.calls) > 0
      ) g left join units using (day, model, provider, vendor, model_price_id)
      order by day, model, provider, model_price_id limit ${ROWS_MAX + 1}`);
    const shown = [...rows].slice(0, ROWS_MAX);
    const { from, to } = wholeDays(range);
    return {
      csv: {
        fileName: `costs-${isoDay(from)}-${isoDay(to - 1)}.csv`,
        text: [HEADER, ...shown.map(cellsOf)].map((cells) => `${cells.map(cell).join(",")}\r\n`).join(""),
        rows: shown.length,
        complete: rows.length <= ROWS_MAX,
      },
    };
  },
);

const isoDay = (at: number) => new Date(at).toISOString().slice(0, 10);

function cellsOf({ usage, ...row }: Row): (string | number)[] {
  const others = Object.entries(usage).filter(([bucket]) => !BUCKETS.includes(bucket));
  return [
    isoDay(Number(row.day)),
    row.model,
    row.provider,
    row.vendor,
    row.model_price_id,
    row.calls,
    row.unpriced_calls,
    row.exact_cost ?? "",
    ...BUCKETS.map((bucket) => usage[bucket] ?? 0),
    others.length === 0 ? "" : JSON.stringify(Object.fromEntries(others)),
  ];
}

/** What clients call their models must not become a formula in somebody's spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
