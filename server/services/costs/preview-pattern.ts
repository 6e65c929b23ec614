import { sql } from "drizzle-orm";
import { z } from "zod";
import { DAY_MS } from "@/server/platform/durations";
import { filledText, queryInteger } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { previewMatcher } from "@/server/services/pricing";
import { PRICE_PROVIDERS } from "@/server/services/pricing/schemas";
import { inDays } from "./daily-costs";
import { patternPreviewReply } from "./schemas";

/** Exceeds the longest valid pattern, so that `error` explains a pattern that is too long. */
const TEXT_MAX = 2_000;
const NAMES_MAX = 5_000;
const SHOWN = 200;

export const previewModelPattern = verb(
  {
    name: "modelPrices.previewPattern",
    summary: "Preview which model names in use a pattern would match.",
    description:
      "Covers the names that clients sent in the last `days` days. `wins` says whether a definition with this pattern would price the model; otherwise one with precedence does (`pricedBy`). With `modelPriceId` the new definition replaces that one. A pattern that RE2 rejects does not fail the request: `error` says what is wrong with it.",
    effect: "read",
    capability: "model-pricing:read",
    input: z
      .strictObject({
        matchPattern: z.string().min(1).max(TEXT_MAX),
        modelName: filledText(150).optional(),
        provider: z.enum(PRICE_PROVIDERS).default("external"),
        modelPriceId: z.string().min(1).max(300).optional(),
        days: queryInteger(1, 366).default(90),
      })
      .meta({ examples: [{ matchPattern: "^acme-large(-\\d{4})?$" }] }),
    reply: patternPreviewReply,
  },
  async (ctx, { days, ...definition }) => {
    const to = Date.now();
    const names = await ctx.db.execute<{ model: string; provider: string; calls: number; unpriced: number }>(sql`
      select d.model, d.provider, sum(d.calls)::float8 as calls, sum(d.unpriced_calls)::float8 as unpriced
      from daily_costs d where ${inDays(ctx, { from: to - days * DAY_MS, to })} and d.model <> ''
      group by 1, 2 having sum(d.calls) > 0 order by sum(d.calls) desc, 1, 2 limit ${NAMES_MAX}`);
    const matcher = await previewMatcher(ctx, definition);
    if ("error" in matcher) {
      return { preview: { seen: names.length, models: [], modelsLeftOut: 0, error: matcher.error } };
    }
    const caught = [...names].flatMap(({ model, provider, calls, unpriced }) => {
      const match = matcher.match(model, provider || null);
      return match ? [{ model, provider: provider || null, calls, unpricedCalls: unpriced, ...match }] : [];
    });
    return {
      preview: {
        seen: names.length,
        models: caught.slice(0, SHOWN),
        modelsLeftOut: Math.max(0, caught.length - SHOWN),
        error: null,
      },
    };
  },
);
