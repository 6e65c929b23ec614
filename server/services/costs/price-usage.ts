import { sql } from "drizzle-orm";
import { z } from "zod";
import { DAY_MS } from "@/server/platform/durations";
import { queryInteger } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { currentPriceBook } from "@/server/services/pricing";
import { inDays, SUMS, type SumsRow, sumsOf } from "./daily-costs";
import { priceUsageReply } from "./schemas";

/** Models without a price that are listed, and the days that are looked at by default. */
export const UNPRICED_MAX = 200;
export const UNPRICED_DAYS = 30;

export const priceUsage = verb(
  {
    name: "modelPrices.usage",
    summary: "Read recent costs by price definition, and which models in use have no price.",
    description:
      "Covers the last `days` days (UTC, including today). `unpriced` lists model names as clients sent them that have calls with an unknown cost; `modelPriceId` is the definition that would price such a call now, and a repricing can apply it to them.",
    effect: "read",
    capability: "model-pricing:read",
    input: z.strictObject({ days: queryInteger(1, 366).default(UNPRICED_DAYS) }),
    reply: priceUsageReply,
  },
  async (ctx, { days }) => {
    const to = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
    const range = { from: to - days * DAY_MS, to };
    const mine = inDays(ctx, range);
    const prices = await ctx.db.execute<SumsRow & { model_price_id: string }>(sql`
      select d.model_price_id, ${SUMS} from daily_costs d where ${mine} and d.model_price_id <> ''
      group by 1 having sum(d.calls) > 0 order by 1`);
    const unpriced = await ctx.db.execute<SumsRow & { model: string; provider: string; last: string }>(sql`
      select d.model, d.provider, ${SUMS}, max(d.day) filter (where d.unpriced_calls > 0) as last
      from daily_costs d where ${mine} and d.model <> ''
      group by 1, 2 having sum(d.unpriced_calls) > 0
      order by sum(d.unpriced_calls) desc, d.model, d.provider limit ${UNPRICED_MAX}`);
    const book = await currentPriceBook(ctx);
    return {
      ...range,
      prices: [...prices].map((row) => ({ modelPriceId: row.model_price_id, ...sumsOf(row) })),
      unpriced: [...unpriced].map((row) => ({
        model: row.model,
        provider: row.provider || null,
        calls: row.calls,
        unpricedCalls: row.unpriced_calls,
        lastDay: Number(row.last),
        modelPriceId: book.resolve(row.model, row.provider || null)?.definition.id ?? null,
      })),
    };
  },
);
