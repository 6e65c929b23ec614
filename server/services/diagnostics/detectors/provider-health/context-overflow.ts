import type { ConversationSnapshot, DetectedSignal, Detector, SnapshotModelCall } from "../../types";
import { mergeByCause, quoteSpan } from "../reading/evidence";
import { failureSignals } from "./failure-signals";
import { modelOf } from "./provider-failures";
import { quoteCall } from "./quote-call";

/** The provider reports that the window is full. */
const STATED_SCORE = 0.95;
/** The reply was cut off where input and output together fill a window of a common size. */
const FULL_SCORE = 0.8;

/** Common sizes of context windows, in tokens. */
const WINDOWS = [
  2048, 4096, 8192, 16_384, 16_385, 32_000, 32_768, 65_536, 100_000, 128_000, 131_072, 196_608, 200_000, 204_800,
  256_000, 262_144, 400_000, 1_000_000, 1_047_576, 1_048_576, 2_097_152,
];
/** Providers count the tokens around messages a little differently. */
const TOLERANCE = 4;
/** Below this share of the window, the reply itself was long, not the input. */
const INPUT_SHARE = 0.75;
const CUT_OFF = /^(?:length|max_tokens|max_output_tokens|incomplete)$/i;
const WINDOW_FULL = /^(?:model_)?context_(?:window|length)_exceeded$/i;

export const contextOverflow: Detector = {
  signal: "context_overflow",
  severity: "high",
  enabledByDefault: true,
  looksFor: "An input longer than the model's context window, or one that left no room and cut the reply off.",
  detect: (conversation) => [
    ...failureSignals(conversation, "context_overflow", "context_overflow", ({ of }) => ({
      cause: `${of}: input too long`,
      title: `The input is too long for ${of}`,
    })),
    ...mergeByCause(conversation.modelCalls.flatMap((call) => full(conversation, call))),
  ],
};

function full(conversation: ConversationSnapshot, call: SnapshotModelCall): DetectedSignal[] {
  const stated = call.finishReasons.some((reason) => WINDOW_FULL.test(reason));
  if (!stated && !(call.finishReasons.some((reason) => CUT_OFF.test(reason)) && fillsWindow(call))) return [];
  const of = modelOf(call);
  return [
    {
      name: "context_overflow",
      score: stated ? STATED_SCORE : FULL_SCORE,
      verdict: "match",
      evidence: [quoteCall(conversation, call) ?? quoteSpan(call.spanId, call.finishReasons.join())],
      cause: `${of}: window full`,
      title: `Reply from ${of} cut off: context window full`,
      summary: `Input and output of the call together fill the context window of ${of}.`,
    },
  ];
}

function fillsWindow({ usage }: SnapshotModelCall): boolean {
  if (!usage) return false;
  let input = 0;
  let output = 0;
  for (const [name, count] of Object.entries(usage)) {
    if (name === "output_tokens" || name === "reasoning_output_tokens") output += count;
    else if (/^(?:cache_(?:read|creation)_)?input_tokens$/.test(name)) input += count;
  }
  const total = input + output;
  return WINDOWS.some((window) => Math.abs(total - window) <= TOLERANCE && input >= window * INPUT_SHARE);
}
