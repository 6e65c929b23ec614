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

export const DAY_MS = 86_400_000;
/** Longer than any model's name or definition's id. */
const NAME_MAX = 500;

/** Which calls: made in `[from, to)` (Unix ms), and what else is true of them. */
const callsInput = {
  from: queryUnixMs,
  to: queryUnixMs,
  /** The model as the client named it: the one that answered, else the one that was asked for. */
  model: z.string().min(1).max(NAME_MAX).optional(),
  /** Calls whose cost is, or would be, of this vendor's prices. */
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
    // In a body a number is a number.
    from: unixMs,
    to: unixMs,
    onlyUnpriced: z.boolean().default(false),
    /** As the preview said it: prices that have changed since then are a 409. */
    pricesVersion: z.string().min(1).max(100).optional(),
  })
  .meta({ examples: [{ from: 1_789_000_000_000, to: 1_789_600_000_000, model: "acme-large" }] });
export type CreateRepricingInput = z.output<typeof createRepricingInput>;

/**
 * US dollars, of the calls whose cost is known; `null` when none is. A side is complete when that is all of them; otherwise
 * it is at least that, and `unknownBefore` or `unknownAfter` counts the others.
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
  /** Of the known costs; `null` when there are none on one side. */
  difference: z.number().nullable(),
};

/** `rows` has calls that would change, by model and day (the first moment of it, UTC), newest day first. */
export const repricingPreviewReply = z.object({
  preview: z.object({
    /** Of all calls that were looked at. */
    total: z.object({ calls: z.int(), ...comparison }),
    rows: z.array(z.object({ day: z.number(), model: z.string().nullable(), ...comparison })),
    /** Rows of smaller differences that are not shown. */
    rowsLeftOut: z.int(),
    /** Whether all calls were looked at; otherwise the newest of `callsExpected` (about). */
    complete: z.boolean(),
    callsExpected: z.int(),
    /** Which prices it goes by; give it back to start exactly this. */
    pricesVersion: z.string(),
  }),
});
export type RepricingPreview = z.infer<typeof repricingPreviewReply>["preview"];

/** Times are Unix ms, costs those of the examined calls. */
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
  /** About how many calls there were to look at when it was asked for. */
  callsExpected: z.int(),
  callsExamined: z.int(),
  callsChanged: z.int(),
  ...bothSides,
  /** Of an undo: calls that have their earlier cost again, and calls left alone because their cost is newer. */
  callsRestored: z.int(),
  callsKept: z.int(),
  error: z.string().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  /** The person's address or the key's name, while there is one. */
  actorName: z.string().nullable(),
  /** The id of who undid it. */
  undoneBy: z.string().nullable(),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  completedAt: z.number().nullable(),
  undoneAt: z.number().nullable(),
});
export type Repricing = z.infer<typeof repricing>;
export const repricingReply = z.object({ repricing });
/** A repricing to whoever may ask for one and may not read what calls cost. */
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
 * What days' costs are put together by. `model` and `provider` are the client's words of a call, `label` those of its
 * conversation, the others a definition's. A call of a conversation with several labels counts in each of them.
 */
export const COST_GROUPS = ["model", "provider", "vendor", "label", "modelPriceId"] as const;
export type CostGroup = (typeof COST_GROUPS)[number];
/** Ten years of days. */
export const DAYS_MAX = 3660;

/** Whole days of UTC: those in which `from` lies until before the one in which `to` lies, or with it when `to` is within. */
const daysInput = { from: queryUnixMs, to: queryUnixMs };

export const getCostsInput = z.strictObject({
  ...daysInput,
  groupBy: z.enum(COST_GROUPS).default("model"),
  /** Groups that stand alone; the dearest do, the others are put together in one more series. */
  top: queryInteger(1, 50).default(10),
});
export type GetCostsInput = z.output<typeof getCostsInput>;

/**
 * `cost` is US dollars of calls with a known cost, `null` when there is none; `exactCost` the same with every digit. It is
 * `costComplete` when that is every call; otherwise it is at least that, and leaves `unpricedCalls` out.
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
    /** The days that it is of, as `[from, to)`. */
    from: z.number(),
    to: z.number(),
    groupBy: z.enum(COST_GROUPS),
    /** The first moment of each day, every one of them. */
    days: z.array(z.number()),
    /**
     * `key` is `null` for calls that have none; `values` has the known cost of each day, `null` when there is none, and
     * `unpricedCalls` how many calls of the day it leaves out: a day is complete where that is 0.
     */
    series: z.array(
      z.object({
        key: z.string().nullable(),
        others: z.boolean(),
        values: z.array(z.number().nullable()),
        unpricedCalls: z.array(z.int()),
      }),
    ),
    /** Dearest first. `usage` has units by bucket. */
    rows: z.array(z.object({ key: z.string().nullable(), ...sums, usage: z.record(z.string(), z.number()) })),
    rowsLeftOut: z.int(),
    /** Of each day what all of its calls with a known cost cost together, each counted once; `null` when none is known. */
    totals: z.array(z.number().nullable()),
    /** Of each day how many calls its total leaves out. */
    totalsUnpricedCalls: z.array(z.int()),
    /** Each call counted once, whatever it is put together by. */
    total: z.object({ ...sums, usage: z.record(z.string(), z.number()) }),
  }),
});
export type Costs = z.infer<typeof costsReply>["costs"];

/** What there is a file of: each with a row for what its columns tell apart. */
export const COSTS_FILES = ["model", "label"] as const;
export type CostsFile = (typeof COSTS_FILES)[number];
export const exportCostsInput = z.strictObject({ ...daysInput, groupBy: z.enum(COSTS_FILES).default("model") });
/** `text` is CSV (RFC 4180) with a header: a row for each day, model, provider and definition, or for each day and label. */
export const exportCostsReply = z.object({
  csv: z.object({ fileName: z.string(), text: z.string(), rows: z.int(), complete: z.boolean() }),
});

export const priceUsageReply = z.object({
  /** The days that are counted, as `[from, to)`. */
  from: z.number(),
  to: z.number(),
  /** By the definition that calls are priced by. */
  prices: z.array(z.object({ modelPriceId: z.string(), ...sums })),
  /** Models in use without a price that covers all of their usage; most calls first. `match` is what now knows the name. */
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

/** Names that clients have sent, with what each comes to. */
export const patternPreviewReply = z.object({
  preview: z.object({
    seen: z.int(),
    /** Names that the pattern matches, most calls first. */
    models: z.array(
      z.object({
        model: z.string(),
        provider: z.string().nullable(),
        calls: z.int(),
        unpricedCalls: z.int(),
        /** The definition that prices it now. */
        pricedBy: z.string().nullable(),
        /** Whether the new definition would take it over; otherwise a more specific one keeps it. */
        wins: z.boolean(),
      }),
    ),
    modelsLeftOut: z.int(),
    /** The pattern's fault, if it has one. */
    error: z.string().nullable(),
  }),
});
