import type { ModelBaseline } from "@/db/schema/json";
import type { ConversationSnapshot, DetectedSignal, Detector, SnapshotModelCall } from "../../types";
import { mergeByCause, quoteSpan } from "../reading/evidence";
import { modelOf } from "./provider-failures";
import { quoteCall } from "./quote-call";

/** Multiple of the 99th percentile: one in a hundred ordinary calls exceeds the percentile, but hardly any by this much. */
const MATCH_FACTOR = 2;
const SURE_FACTOR = 5;
/** A shorter call is not slow, however fast the others are. */
const SLOWEST_UNNOTICED_MS = 5_000;
/** Minimum number of output tokens for a meaningful rate. */
const TOKENS_MINIMUM = 20;
const MATCH_SCORE = 0.75;
const SURE_SCORE = 0.9;

export const slowResponse: Detector = {
  signal: "slow_response",
  severity: "medium",
  enabledByDefault: true,
  looksFor:
    "A model call that took at least twice as long as 99 of 100 calls of this model in the project before that day, and not because its reply was long.",
  detect: (conversation) => mergeByCause(conversation.modelCalls.flatMap((call) => slow(conversation, call))),
};

function slow(conversation: ConversationSnapshot, call: SnapshotModelCall): DetectedSignal[] {
  if (call.status !== "ok") return [];
  const usual = baselineOf(conversation, call);
  if (!usual) return [];
  const took = call.endedAt - call.startedAt;
  if (took < SLOWEST_UNNOTICED_MS || took < usual.durationMs.p99 * MATCH_FACTOR) return [];
  const tokens = (call.usage?.output_tokens ?? 0) + (call.usage?.reasoning_output_tokens ?? 0);
  const isLong = tokens >= TOKENS_MINIMUM && usual.msPerToken !== null && took / tokens < usual.msPerToken.p95;
  if (isLong) return [];
  const of = modelOf(call);
  const times = took / Math.max(usual.durationMs.p50, 1);
  return [
    {
      name: "slow_response",
      score: took >= usual.durationMs.p99 * SURE_FACTOR ? SURE_SCORE : MATCH_SCORE,
      verdict: "match",
      evidence: [quoteCall(conversation, call) ?? quoteSpan(call.spanId, `${of}: ${seconds(took)}`)],
      cause: `${of}: slow`,
      title: `${of} is slow: ${seconds(took)} for a call that usually takes ${seconds(usual.durationMs.p50)}`,
      summary: `A call took ${seconds(took)}, ${Math.round(times)} times the median of ${usual.durationMs.n} calls before that day (99 of 100 took at most ${seconds(usual.durationMs.p99)}).`,
    },
  ];
}

function baselineOf({ baseline }: ConversationSnapshot, call: SnapshotModelCall): ModelBaseline | undefined {
  const model = call.responseModel || call.requestedModel;
  return baseline?.models.find((one) => one.model === model && one.provider === call.provider);
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
