import { createHash } from "node:crypto";
import { Decimal } from "decimal.js";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { completeCost, type PriceBook, priceCall } from "@/server/services/pricing";
import type { Cost, Usage } from "@/server/services/pricing/schemas";
import type { CallKey, StoredCost } from "@/server/services/telemetry";

/** The columns of a stored call that matter for its price; `costTotal` is exact decimal text. */
export type PricedCall = CallKey & {
  conversationId: string;
  startedAt: number;
  provider: string | null;
  requestedModel: string | null;
  responseModel: string | null;
  usage: Usage | null;
  costTotal: string | null;
  cost: Cost | null;
};

export type RepricingFilter = {
  vendor?: string | null | undefined;
  modelPriceId?: string | null | undefined;
  onlyUnpriced?: boolean;
};

export type CallPlan = { call: PricedCall; next: StoredCost & { cost: Cost | null }; changes: boolean };

/** Prices a call by this book; returns `null` when the repricing does not cover the call. */
export function planCall(book: PriceBook, wanted: RepricingFilter, call: PricedCall): CallPlan | null {
  if (wanted.onlyUnpriced && call.costTotal !== null) return null;
  const { cost, totalDecimal } = priceCall(book, { ...call, at: call.startedAt });
  const either = (is: (model: Cost["model"]) => boolean) => [call.cost, cost].some((one) => one && is(one.model));
  if (wanted.vendor && !either(({ provider }) => provider === wanted.vendor)) return null;
  if (wanted.modelPriceId && !either(({ id }) => id === wanted.modelPriceId)) return null;
  const next = { traceId: call.traceId, spanId: call.spanId, costTotal: totalDecimal, cost };
  return { call, next, changes: !sameMoney(call.costTotal, totalDecimal) || evidence(call.cost) !== evidence(cost) };
}

const sameMoney = (a: string | null, b: string | null) =>
  a === b || (a !== null && b !== null && new Decimal(a).equals(b));

/**
 * Returns what a cost is based on except the version's name: equal prices under a newer version are not a reason to write.
 */
function evidence(cost: Cost | null) {
  if (cost === null) return "none";
  const { pricesVersion: _, ...rest } = completeCost(cost);
  return canonicalJson(rest);
}

/** Returns a digest of a stored cost that is stable across a round trip through the database. */
export const digestOf = ({ costTotal, cost }: Pick<StoredCost, "costTotal" | "cost">) =>
  createHash("sha1")
    .update(canonicalJson([costTotal === null ? null : new Decimal(costTotal).toFixed(), cost]))
    .digest("base64url");

/** Enough digits for any sum of call costs. */
const Exact = Decimal.clone({ precision: 1000 });
const ZERO = new Exact(0);

/** Accumulates exact sums of costs before and after. */
export class Comparison {
  calls = 0;
  changed = 0;
  unknownBefore = 0;
  unknownAfter = 0;
  before = ZERO;
  after = ZERO;

  add({ call, next, changes }: CallPlan) {
    this.calls++;
    if (changes) this.changed++;
    if (call.costTotal === null) this.unknownBefore++;
    else this.before = this.before.plus(call.costTotal);
    if (next.costTotal === null) this.unknownAfter++;
    else this.after = this.after.plus(next.costTotal);
  }

  shown() {
    const sides = bothSides({
      calls: this.calls,
      costBefore: this.before.toNumber(),
      costAfter: this.after.toNumber(),
      unknownBefore: this.unknownBefore,
      unknownAfter: this.unknownAfter,
    });
    const comparable = sides.costBefore !== null && sides.costAfter !== null;
    return {
      changed: this.changed,
      ...sides,
      difference: comparable ? this.after.minus(this.before).toNumber() : null,
    };
  }
}

type Sums = { calls: number; costBefore: number; costAfter: number; unknownBefore: number; unknownAfter: number };

/** Converts sums of known costs to their JSON form: `null` where none is known, and whether each covers all calls. */
export const bothSides = ({ calls, costBefore, costAfter, unknownBefore, unknownAfter }: Sums) => ({
  costBefore: unknownBefore === calls ? null : costBefore,
  costBeforeComplete: unknownBefore === 0,
  unknownBefore,
  costAfter: unknownAfter === calls ? null : costAfter,
  costAfterComplete: unknownAfter === 0,
  unknownAfter,
});
