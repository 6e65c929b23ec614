import { z } from "zod";
import { operations } from "@/server/operations";
import { count } from "@/server/platform/text/amounts";
import { COST_GROUPS } from "@/server/services/costs/schemas";
import { at, clampNote, dollars, line, paragraphs } from "../markdown";
import { clamped, msOf, time, tool } from "../tool";

const DAYS_SHOWN = 31;

export const priceCall = tool({
  name: "price_call",
  title: "Price a call",
  description: "Computes what a call of a model costs with the project's prices, in US dollars.",
  effect: "read",
  input: z.object({
    model: z.string().min(1).max(500),
    provider: z.string().max(100).optional(),
    usage: z
      .record(z.string().max(100), z.number().min(0))
      .describe(
        "Tokens in disjoint buckets: input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, or others.",
      ),
    at: time("ISO 8601: prices of then. Default: now.").optional(),
  }),
  run: async ({ call, shown }, { at: then, ...input }) => {
    const { estimate } = await call(operations.modelPrices.estimate, {
      ...input,
      at: then === undefined ? undefined : msOf(then),
    });
    const { cost } = estimate;
    if (cost === null) return `No price is known for ${shown.name(input.model)}.`;
    const buckets = Object.entries(cost.breakdown).slice(0, 20);
    return paragraphs(
      `${dollars(cost.total)}, by the prices of ${shown.name(cost.model.modelName)}, ${shown.name(cost.tier.name)}`,
      buckets.map(([bucket, sum]) => `- ${shown.name(bucket)}: ${dollars(sum)}`).join("\n"),
      cost.unpriced.length > 0 && `Without a price: ${cost.unpriced.slice(0, 10).map(shown.name).join(", ")}`,
    );
  },
});

export const readCosts = tool({
  name: "read_costs",
  title: "Read costs",
  description: "Reads what model calls cost in a range of days (UTC), in total, by group and by day.",
  effect: "read",
  input: z.object({
    from: time("ISO 8601, inclusive."),
    to: time("ISO 8601, exclusive."),
    groupBy: z.enum(COST_GROUPS).optional().describe("Default: model."),
    limit: clamped(1, 30, 10),
  }),
  run: async ({ call, shown }, { from, to, groupBy, limit }) => {
    const { costs } = await call(operations.costs.get, { from: msOf(from), to: msOf(to), groupBy, top: limit.used });
    const sums = ({ cost, costComplete, calls, unpricedCalls }: typeof costs.total) =>
      line(
        dollars(cost, costComplete),
        count(calls, "call"),
        unpricedCalls > 0 && `${unpricedCalls.toLocaleString("en")} of them without a price`,
      );
    const rows = costs.rows.slice(0, limit.used);
    const days = costs.days.map(
      (day, n) => `- ${at(day).slice(0, 10)}: ${dollars(costs.totals[n] ?? null, costs.totalsUnpricedCalls[n] === 0)}`,
    );
    const leftOut = costs.rows.length - rows.length + costs.rowsLeftOut;
    return paragraphs(
      clampNote("limit", limit),
      `From ${at(costs.from)} to ${at(costs.to)}: ${sums(costs.total)}`,
      `By ${costs.groupBy}:`,
      rows.map((row) => `- ${row.key === null ? "none" : shown.name(row.key)}: ${sums(row)}`).join("\n"),
      leftOut > 0 && `${count(leftOut, "cheaper group")} left out; a limit of up to 30 shows more.`,
      `By day${days.length > DAYS_SHOWN ? `, the last ${DAYS_SHOWN}; ask for an earlier range for others` : ""}:`,
      days.slice(-DAYS_SHOWN).join("\n"),
    );
  },
});
