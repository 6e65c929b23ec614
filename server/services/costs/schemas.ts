import { z } from "zod";
import { ACTOR_KINDS, PRICE_PROVIDERS, REPRICING_STATES } from "@/db/schema/enumerations";
import {
  idInput,
  pageInput,
  pagination,
  queryBoolean,
  queryInteger,
  queryUnixMs,
  unixMs,
} from "@/server/platform/schemas";
import { callsSummary } from "@/server/services/telemetry/search/schemas";

/** Longer than any model name or definition id. */
const NAME_MAX = 500;

/** Selects calls made in `[from, to)` (Unix ms) that match all other filters. */
const callsInput = {
  from: queryUnixMs,
  to: queryUnixMs,
  /** The model as the client named it: the response model, else the requested one. */
  model: z.string().min(1).max(NAME_MAX).optional(),
  /** Calls that are, or would be, priced by this vendor's prices. */
  vendor: z.enum(PRICE_PROVIDERS).optional(),
  /** Calls that are, or would be, priced by this definition. */
  modelPriceId: z.string().min(1).max(NAME_MAX).optional(),
  /** Only calls whose cost is not known. */
  onlyUnpriced: queryBoolean().default(false),
};

export const previewRepricingInput = z.strictObject(callsInput);

export const createRepricingInput = z
  .strictObject({
    ...callsInput,
    // JSON numbers and booleans, which a query string sends as text.
    from: unixMs,
    to: unixMs,
    onlyUnpriced: z.boolean().default(false),
    /** From the preview. Refused with a 409 when prices have changed since. */
    pricesVersion: z.string().min(1).max(100).optional(),
  })
  .meta({ examples: [{ from: 1_789_000_000_000, to: 1_789_600_000_000, model: "acme-large" }] });
export type CreateRepricingInput = z.output<typeof createRepricingInput>;

/**
 * US dollars summed over the calls with a known cost; `null` when there are none. A side is complete when the cost of every
 * call is known; otherwise its sum is a lower bound, and `unknownBefore` or `unknownAfter` counts the calls that it excludes.
 */
const bothSides = {
  costBefore: z.number().nullable(),
  costBeforeComplete: z.boolean(),
  unknownBefore: z.int(),
  costAfter: z.number().nullable(),
  costAfterComplete: z.boolean(),
  unknownAfter: z.int(),
};

const comparison = {
  /** Calls whose cost would change. */
  changed: z.int(),
  ...bothSides,
  /** Difference of the known costs; `null` when either side has none. */
  difference: z.number().nullable(),
};

/** `rows` groups the calls that would change by model and day (its start, UTC), newest day first. */
export const repricingPreviewReply = z.object({
  preview: z.object({
    /** Over all examined calls. */
    total: z.object({ calls: z.int(), ...comparison }),
    rows: z.array(z.object({ day: z.number(), model: z.string().nullable(), ...comparison })),
    /** Number of omitted rows, which are those with the smallest differences. */
    rowsLeftOut: z.int(),
    /** Whether all calls were examined; otherwise only the newest of about `callsExpected` were. */
    complete: z.boolean(),
    callsExpected: z.int(),
    /** Identifies the prices used; pass it to `repricings.create` to start exactly this repricing. */
    pricesVersion: z.string(),
  }),
});
export type RepricingPreview = z.infer<typeof repricingPreviewReply>["preview"];

/** Times are Unix ms; costs are sums over the examined calls. */
export const repricing = z.object({
  id: z.string(),
  state: z.enum(REPRICING_STATES),
  from: z.number(),
  to: z.number(),
  model: z.string().nullable(),
  vendor: z.string().nullable(),
  modelPriceId: z.string().nullable(),
  onlyUnpriced: z.boolean(),
  pricesVersion: z.string(),
  /** Estimated number of calls to examine, at the time of the request. */
  callsExpected: z.int(),
  callsExamined: z.int(),
  callsChanged: z.int(),
  ...bothSides,
  /** Of an undo: calls whose earlier cost was restored, and calls that kept theirs because it is newer. */
  callsRestored: z.int(),
  callsKept: z.int(),
  error: z.string().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  /** The person's email address or the key's name, while they exist. */
  actorName: z.string().nullable(),
  /** The id of the person or key that undid it. */
  undoneBy: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  completedAt: z.number().nullable(),
  undoneAt: z.number().nullable(),
});
export type Repricing = z.infer<typeof repricing>;
export const repricingReply = z.object({ repricing });
/** Reply to a caller who may request a repricing but not read costs. */
export const requestedRepricingReply = z.object({
  repricing: repricing.pick({
    id: true,
    state: true,
    from: true,
    to: true,
    model: true,
    vendor: true,
    modelPriceId: true,
    onlyUnpriced: true,
    createdAt: true,
  }),
});
export const repricingIdInput = z.strictObject({ repricingId: idInput });
export const listRepricingsInput = z.strictObject(pageInput);
export const repricingsReply = z.object({ repricings: z.array(repricing), pagination });

/**
 * Dimensions by which daily costs are grouped. `model` and `provider` are as the client reported them, `label` and
 * `user`, the end user of the application, come from the conversation, the others from the price definition. A call whose
 * conversation has several labels counts in each.
 */
export const COST_GROUPS = ["model", "provider", "vendor", "label", "user", "modelPriceId"] as const;
export type CostGroup = (typeof COST_GROUPS)[number];
/** Ten years of days. */
export const DAYS_MAX = 3660;

/** Expanded to whole UTC days: from the day that contains `from` through the last one that begins before `to`. */
const daysInput = { from: queryUnixMs, to: queryUnixMs };

export const getCostsInput = z.strictObject({
  ...daysInput,
  groupBy: z.enum(COST_GROUPS).default("model"),
  /** Number of groups with a series of their own, by cost; one more series sums the others. */
  top: queryInteger(1, 50).default(10),
});
export type GetCostsInput = z.output<typeof getCostsInput>;

/**
 * `cost` is the sum in US dollars over calls with a known cost, `null` when there are none; `exactCost` is the same with
 * every digit. Unless `costComplete`, it is a lower bound that excludes `unpricedCalls` calls.
 */
const sums = {
  calls: z.int(),
  unpricedCalls: z.int(),
  cost: z.number().nullable(),
  exactCost: z.string().nullable(),
  costComplete: z.boolean(),
};

export const costsReply = z.object({
  costs: z.object({
    /** The days covered, as `[from, to)`. */
    from: z.number(),
    to: z.number(),
    groupBy: z.enum(COST_GROUPS),
    /** The start of every day, including days without calls. */
    days: z.array(z.number()),
    /**
     * `key` is `null` for calls without one. `values` is the known cost per day, `null` when there is none, and
     * `unpricedCalls` the number of calls that it excludes: a day is complete where that is 0.
     */
    series: z.array(
      z.object({
        key: z.string().nullable(),
        others: z.boolean(),
        values: z.array(z.number().nullable()),
        unpricedCalls: z.array(z.int()),
      }),
    ),
    /** Most expensive first. `usage` is units by bucket. */
    rows: z.array(z.object({ key: z.string().nullable(), ...sums, usage: z.record(z.string(), z.number()) })),
    /** Number of groups without a row, which were the cheapest. */
    rowsLeftOut: z.int(),
    /** Sum of the groups without a row. `null` if there are none, and by label, where a call may count in several. */
    rest: z.object({ ...sums, usage: z.record(z.string(), z.number()) }).nullable(),
    /** Known cost of all calls per day, each call counted once; `null` when none is known. */
    totals: z.array(z.number().nullable()),
    /** Number of calls per day that the day's total excludes. */
    totalsUnpricedCalls: z.array(z.int()),
    /** Each call counted once, regardless of grouping. */
    total: z.object({ ...sums, usage: z.record(z.string(), z.number()) }),
    newestCalls: callsSummary,
  }),
});
export type Costs = z.infer<typeof costsReply>["costs"];

/** Covers `[from, to)`, whole days (UTC). */
const days = { from: z.number(), to: z.number() };
export const costsSummary = z.object({
  period: z.object({ ...days, ...sums }),
  before: z.object({ ...days, ...sums }),
  /** The models whose known cost changed most between the two periods; `null` for a cost of which nothing is known. */
  drivers: z.array(
    z.object({ model: z.string().nullable(), cost: z.number().nullable(), before: z.number().nullable() }),
  ),
  /**
   * The current month so far, with today. `projection`: what it will have cost by its end, with 95% limits, if each day left
   * costs the mean of its weekday in the last 28 days; `null` until there are 14 full days.
   */
  month: z.object({
    ...days,
    ...sums,
    projection: z.object({ cost: z.number(), low: z.number(), high: z.number() }).nullable(),
  }),
  /** Model names with calls of the last 30 days that have no known cost; counting stops at 200. */
  unpricedModels: z.int(),
});
export type CostsSummary = z.infer<typeof costsSummary>;

/** Available files, by what a row stands for besides the day. */
export const COSTS_FILES = ["model", "label", "user"] as const;
export type CostsFile = (typeof COSTS_FILES)[number];
export const exportCostsInput = z.strictObject({ ...daysInput, groupBy: z.enum(COSTS_FILES).default("model") });
/** `text` is CSV (RFC 4180) with a header and one row per day, model, provider and definition, or per day and label or user. */
export const exportCostsReply = z.object({
  csv: z.object({ fileName: z.string(), text: z.string(), rows: z.int(), complete: z.boolean() }),
});

export const priceUsageReply = z.object({
  /** The days covered, as `[from, to)`. */
  from: z.number(),
  to: z.number(),
  /** Costs by the definition that priced the calls. */
  prices: z.array(z.object({ modelPriceId: z.string(), ...sums })),
  /** Models in use without a price for all of their usage, most calls first. `modelPriceId` is the definition that matches the name now. */
  unpriced: z.array(
    z.object({
      model: z.string(),
      provider: z.string().nullable(),
      calls: z.int(),
      unpricedCalls: z.int(),
      /** The last day with such a call. */
      lastDay: z.number(),
      modelPriceId: z.string().nullable(),
    }),
  ),
});

/** Model names that clients have sent, with the definition that each resolves to. */
export const patternPreviewReply = z.object({
  preview: z.object({
    seen: z.int(),
    /** Names matched by the pattern, most calls first. */
    models: z.array(
      z.object({
        model: z.string(),
        provider: z.string().nullable(),
        calls: z.int(),
        unpricedCalls: z.int(),
        /** The definition that prices it now. */
        pricedBy: z.string().nullable(),
        /** Whether the new definition would price it; otherwise one with precedence does. */
        wins: z.boolean(),
      }),
    ),
    modelsLeftOut: z.int(),
    /** Why the pattern is invalid, if it is. */
    error: z.string().nullable(),
  }),
});
