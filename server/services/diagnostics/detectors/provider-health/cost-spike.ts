import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { quoteSpan } from "../reading/evidence";
import { modelOf } from "./provider-failures";
import { quoteCall } from "./quote-call";

/** Multiples of the 99th percentile and of the median of the project's conversations. */
const FACTOR = 2;
const MEDIAN_FACTOR = 5;
const SURE_FACTOR = 5;
/** US dollars. A cheaper conversation is not a problem, however cheap the others are. */
const CHEAPEST_NOTICED = 0.01;
const MATCH_SCORE = 0.75;
const SURE_SCORE = 0.9;
/** Number of calls shown, most expensive first. */
const SHOWN = 3;

export const costSpike: Detector = {
  signal: "cost_spike",
  severity: "medium",
  enabledByDefault: true,
  reads: "calls",
  looksFor:
    "A conversation that cost at least twice as much as 99 of 100 conversations of the project before that day, and five times the median.",
  detect(conversation) {
    const found = spike(conversation);
    return found ? [found] : [];
  },
};

function spike(conversation: ConversationSnapshot): DetectedSignal | null {
  const usual = conversation.baseline?.conversationCost;
  if (!usual) return null;
  const costs = conversation.modelCalls.map((call) => ({ call, cost: Number(call.costTotal ?? 0) }));
  const total = costs.reduce((sum, { cost }) => sum + cost, 0);
  if (total < CHEAPEST_NOTICED || total < usual.p99 * FACTOR || total < usual.p50 * MEDIAN_FACTOR) return null;
  const costliest = costs.sort((a, b) => b.cost - a.cost).slice(0, SHOWN);
  const of = modelOf(costliest[0]!.call);
  return {
    name: "cost_spike",
    score: total >= usual.p99 * SURE_FACTOR ? SURE_SCORE : MATCH_SCORE,
    verdict: "match",
    evidence: costliest.map(
      ({ call, cost }) => quoteCall(conversation, call) ?? quoteSpan(call.spanId, `${modelOf(call)}: ${dollars(cost)}`),
    ),
    cause: `${of}: costs far more than usual`,
    title: `A conversation with ${of} cost ${dollars(total)}, usually ${dollars(usual.p50)}`,
    summary: `${conversation.modelCalls.length} model calls cost ${dollars(total)}, ${Math.round(total / usual.p50)} times the median of ${usual.n} conversations before that day (99 of 100 cost at most ${dollars(usual.p99)}).`,
  };
}

const dollars = (cost: number) => `$${cost < 0.1 ? cost.toPrecision(2) : cost.toFixed(2)}`;
