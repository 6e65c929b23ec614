import { excerpt } from "@/server/platform/excerpt";
import { isByUser } from "@/server/services/telemetry/schemas";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { agentSteps, type Step } from "../reading/exchange-keys";
import { proseOf } from "../reading/prose";
import { textOf } from "../reading/text";
import { quoteExchange } from "../reading/tool-exchanges";
import { commonFailure, failureCause } from "../tool-failure/tool-failures";
import { loopVerdict } from "./loop-score";
import { sameCall } from "./repeated-tool-call";

/** Score by the number of distinct calls repeated in the same order; the last applies to that many or more. */
const SCORE_BY_CALLS: readonly number[] = [0, 0, 0.3, 0.62, 0.75, 0.88, 0.94];
/** Weight after a user message in between, which may have asked for it. */
const AFTER_USER = 0.6;
const PHRASE_SCORE = 0.4;
/** The agent announces that it starts over, and then repeats an earlier call. */
const PHRASE_AND_CALL_SCORE = 0.75;
/** The assistant repeats its greeting mid-conversation, having lost the context. */
const GREETED_AGAIN_SCORE = 0.65;
const GREETING_MINIMUM = 20;
const USER_TURNS_BEFORE_GREETING = 2;

const STARTS_OVER =
  /\b(?:let(?:[’']s| me| us)|i(?:[’']ll| will| am going to|[’']m going to| need to| should| have to)|we(?:[’']ll| will| should| need to)) (?:just |now )?(?:start(?:ing)? (?:all )?(?:over|again|afresh|from (?:scratch|the (?:beginning|start|top)))|begin(?:ning)? (?:again|from (?:scratch|the (?:beginning|start)))|re-?start|redo (?:everything|the whole))\b/i;

export const restartedWork: Detector = {
  signal: "restarted_work",
  severity: "medium",
  enabledByDefault: true,
  looksFor:
    "Work restarted from the beginning: a series of tool calls repeated in the same order, or the assistant starting over.",
  detect: (conversation) =>
    mergeByCause([...repeatedSeries(conversation), ...startedOver(conversation), ...greetedAgain(conversation)]),
};

/** A repeated series of calls: `[start, start + calls)` equals the calls from `earlier` on. */
type Series = { start: number; earlier: number; calls: number; score: number };

function repeatedSeries(conversation: ConversationSnapshot): DetectedSignal[] {
  const steps = agentSteps(conversation);
  const found = bestSeries(steps);
  if (!found) return [];
  const again = steps.slice(found.start, found.start + found.calls);
  const shown = [...steps.slice(found.earlier, found.earlier + found.calls), ...again];
  const names = [...new Set(again.map(({ exchange }) => exchange.name))];
  const failure = commonFailure(
    conversation,
    shown.map(({ exchange }) => exchange),
  );
  return [
    {
      name: "restarted_work",
      score: found.score,
      verdict: loopVerdict(found.score),
      evidence: shown.map(({ exchange }) => quoteExchange(conversation, exchange)),
      cause: failure
        ? failureCause(failure)
        : names.length === 1
          ? sameCall(names[0]!)
          : `${names.join(" ")}: done over`,
      title: `The same sequence of calls is repeated: ${names.map((name) => `\`${name}\``).join(", ")}`,
      summary: `${found.calls} tool calls were repeated in the same order with the same arguments.`,
    },
  ];
}

function bestSeries(steps: readonly Step[]): Series | null {
  const lastAt = new Map<string, number>();
  let best: Series | null = null;
  let length = 0;
  let distance = 0;
  const calls = new Set<string>(); // of the current series
  for (const [index, step] of steps.entries()) {
    const earlier = lastAt.get(step.call);
    lastAt.set(step.call, index);
    if (earlier === undefined) {
      length = 0;
      continue;
    }
    length = index - earlier === distance ? length + 1 : 1;
    distance = index - earlier;
    if (length === 1) calls.clear();
    calls.add(step.call);
    // Back to back with nothing between is an alternation (or one call repeated), which has its own Signal.
    if (length < 2 || distance <= length) continue;
    const start = index - length + 1;
    const spoken = step.userTurns > steps[earlier]!.userTurns;
    const score = SCORE_BY_CALLS[Math.min(calls.size, SCORE_BY_CALLS.length - 1)]! * (spoken ? AFTER_USER : 1);
    if (!best || score > best.score) best = { start, earlier: start - distance, calls: length, score };
  }
  return best;
}

/** Characters of a message that are searched for the phrase. */
const PHRASE_READ = 2000;

function startedOver(conversation: ConversationSnapshot): DetectedSignal[] {
  const { messages } = conversation;
  const steps = agentSteps(conversation);
  const first = messages.findIndex(({ role }) => role === "assistant");
  const callsAgain = lastRepeatedCall(steps);
  return messages.flatMap((message, index) => {
    if (message.role !== "assistant" || index <= first) return [];
    const phrase = STARTS_OVER.exec(proseOf(message).slice(0, PHRASE_READ));
    if (!phrase) return [];
    const score = callsAgain >= index ? PHRASE_AND_CALL_SCORE : PHRASE_SCORE;
    return [
      {
        name: "restarted_work",
        score,
        verdict: loopVerdict(score),
        evidence: [quoteMessage(messages, index, phrase.index)],
        cause: "the assistant says that it starts over",
        title: "The assistant starts its work over",
        summary: `The assistant said “${excerpt(textOf(message).slice(phrase.index), 160)}”.`,
      },
    ];
  });
}

/** Returns the index of the last message that repeats an earlier call, or -1. */
function lastRepeatedCall(steps: readonly Step[]): number {
  const seen = new Set<string>();
  let last = -1;
  for (const { call, exchange } of steps) {
    if (seen.has(call)) last = Math.max(last, exchange.callIndex ?? -1);
    seen.add(call);
  }
  return last;
}

function greetedAgain(conversation: ConversationSnapshot): DetectedSignal[] {
  const { messages } = conversation;
  const first = messages.findIndex((message) => message.role === "assistant" && textOf(message).trim() !== "");
  if (first < 0) return [];
  const greeting = textOf(messages[first]!).trim();
  if (greeting.length < GREETING_MINIMUM) return [];
  let turns = 0;
  const again = messages.flatMap((message, index) => {
    if (index > first && isByUser(message)) turns++;
    const said = index > first && message.role === "assistant" && textOf(message).trim() === greeting;
    return said && turns >= USER_TURNS_BEFORE_GREETING ? [index] : [];
  });
  if (again.length === 0) return [];
  return [
    {
      name: "restarted_work",
      score: GREETED_AGAIN_SCORE,
      verdict: loopVerdict(GREETED_AGAIN_SCORE),
      evidence: [first, ...again].map((index) => quoteMessage(messages, index)),
      cause: "the assistant begins the conversation again",
      title: "The assistant restarts the conversation",
      summary: `It repeated its opening after ${turns} user turns: “${excerpt(greeting, 120)}”.`,
    },
  ];
}
