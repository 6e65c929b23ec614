import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { sameCall } from "../agent-loop/repeated-tool-call";
import { ending, isClosingTool } from "../reading/ending";
import { mergeByCause, quoteMessage, quoteSpan } from "../reading/evidence";
import { agentSteps, type Step } from "../reading/exchange-keys";
import { proseIn } from "../reading/prose";
import { textOf } from "../reading/text";
import { quoteExchange } from "../reading/tool-exchanges";
import { failureCause, toolFailures } from "../tool-failure/tool-failures";
import { type Limit, limitInError, limitOfFinish, limitStatement } from "./limit-words";

/** The run, its framework or a span reports the limit. */
const STATED_SCORE = 0.95;
/** The same words, in reply to a user who mentions limits. */
const SPOKEN_OF_SCORE = 0.35;
/** Cut off without a statement, in the middle of a loop or a series of errors. */
const CUT_OFF_SCORE = 0.85;
/** Cut off after many steps that looked sound. */
const PERHAPS_SCORE = 0.4;

/** Messages and calls at the end in which the limit is stated; a later one shows that the run continued. */
const LAST = 2;
/** Characters at each end of a message that are searched. */
const READ = 1200;
/** Number of tool calls without a reply from which a run counts as long. */
const MANY_CALLS = 8;
/** Steps at the end among which errors and repeats are counted. */
const TAIL = 8;
const TAIL_TROUBLES = 4;

export const endedByLimit: Detector = {
  signal: "ended_by_limit",
  severity: "high",
  enabledByDefault: true,
  reads: "end",
  looksFor:
    "A run that was stopped at its limit on steps, time, tokens or errors, as reported by the framework, or one that was cut off in a loop or a series of errors.",
  detect: (conversation) => {
    const stated = [...statedInMessages(conversation), ...statedBySpans(conversation)];
    return mergeByCause(stated.length > 0 ? stated : cutOff(conversation));
  },
};

const TITLES: Readonly<Record<Limit, string>> = {
  steps: "The run was stopped at its step limit",
  time: "The run was stopped at its time limit",
  "tokens or cost": "The run was stopped at its token or cost budget",
  errors: "The run was stopped after too many errors",
};

const signal = (limit: Limit, score: number, said: string, evidence: DetectedSignal["evidence"]): DetectedSignal => ({
  name: "ended_by_limit",
  score,
  verdict: score === SPOKEN_OF_SCORE ? "ambiguous" : "match",
  evidence,
  cause: `limit: ${limit}`,
  title: TITLES[limit],
  summary: `The run ended with “${excerpt(said, 160)}”.`,
});

const ASKS_ABOUT_LIMITS = /\b(?:limit|max(?:imum)?|recursion|iteration|time-?out|budget|max_\w{1,20})/i;

function statedInMessages(conversation: ConversationSnapshot): DetectedSignal[] {
  const { messages } = conversation;
  const { lastUser } = ending(conversation);
  const found: DetectedSignal[] = [];
  for (let index = Math.max(0, messages.length - LAST); index < messages.length; index++) {
    const message = messages[index]!;
    if (message.role === "user") continue;
    const text = textOf(message);
    if (text.length === 0) continue;
    const tail = Math.max(0, text.length - READ);
    for (const from of tail > 0 ? [0, tail] : [0]) {
      const said = limitStatement(proseIn(text.slice(from, from + READ)));
      if (!said) continue;
      const spokenOf = lastUser !== null && ASKS_ABOUT_LIMITS.test(textOf(messages[lastUser]!).slice(0, READ));
      const quote = quoteMessage(messages, index, from + said.start, from + said.end);
      found.push(signal(said.limit, spokenOf ? SPOKEN_OF_SCORE : STATED_SCORE, quote.quote, [quote]));
      break;
    }
  }
  return found;
}

function statedBySpans({ modelCalls, toolCalls }: ConversationSnapshot): DetectedSignal[] {
  return [modelCalls, toolCalls].flatMap((calls) =>
    calls.slice(-LAST).flatMap((call) => {
      const reason =
        "finishReasons" in call ? call.finishReasons.find((one) => limitOfFinish(one) !== null) : undefined;
      if (reason !== undefined) {
        return [signal(limitOfFinish(reason)!, STATED_SCORE, reason, [quoteSpan(call.spanId, reason)])];
      }
      if (!call.error) return [];
      const text = [call.error.type, call.error.message]
        .filter((part) => part !== null)
        .join(": ")
        .slice(0, READ);
      const said = limitInError(text);
      return said ? [signal(said.limit, STATED_SCORE, text, [quoteSpan(call.spanId, text)])] : [];
    }),
  );
}

/** Finds a run that ends with a tool call or its result, long after the user or the assistant last said anything. */
function cutOff(conversation: ConversationSnapshot): DetectedSignal[] {
  const { afterReply, lastUser, lastReply, callsSinceUser } = ending(conversation);
  const last = afterReply.at(-1);
  if (!last || callsSinceUser < MANY_CALLS || afterReply.length === 0 || isClosingTool(last.name)) return [];
  if (lastUser !== null && (last.callIndex ?? last.resultIndex ?? 0) < lastUser) return [];
  if (lastReply !== null && lastReply > (last.resultIndex ?? last.callIndex ?? 0)) return [];
  const steps = agentSteps(conversation).slice(-TAIL);
  const repeated = troubles(steps.map(repeatKey));
  const failed = new Set(toolFailures(conversation).map(({ exchange }) => exchange));
  const errors = steps.filter(({ exchange }) => failed.has(exchange));
  const isStuck = repeated.length >= TAIL_TROUBLES || errors.length >= TAIL_TROUBLES;
  const shown = repeated.length >= errors.length && isStuck ? steps.filter((_, at) => repeated.includes(at)) : errors;
  const how = errors.length >= TAIL_TROUBLES ? "series of errors" : "loop";
  const lastError = toolFailures(conversation).findLast(({ exchange }) => exchange === errors.at(-1)?.exchange);
  const stuckCause =
    how === "loop" || !lastError ? sameCall(shown.at(-1)?.exchange.name ?? last.name) : failureCause(lastError);
  const score = isStuck ? CUT_OFF_SCORE : PERHAPS_SCORE;
  return [
    {
      name: "ended_by_limit",
      score,
      verdict: isStuck ? "match" : "ambiguous",
      evidence: [...(isStuck ? shown : []), steps.at(-1)!].map(({ exchange }) => quoteExchange(conversation, exchange)),
      cause: isStuck ? stuckCause : `${last.name}: cut off`,
      title: isStuck
        ? `The run was cut off in a ${how} of \`${last.name}\``
        : `The run ends with \`${last.name}\` and no answer`,
      summary: `After ${callsSinceUser} tool calls the run ended with a call to \`${last.name}\` and no answer.`,
    },
  ];
}

const repeatKey = (step: Step) => step.call;

/** Returns the positions whose key occurs more than once. */
function troubles(keys: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return keys.flatMap((key, at) => (counts.get(key)! > 1 ? [at] : []));
}
