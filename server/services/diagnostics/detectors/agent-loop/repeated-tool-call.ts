import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { agentSteps, type Step } from "../reading/exchange-keys";
import { quoteExchange } from "../reading/tool-exchanges";
import { describeCause } from "../tool-failure/mask-cause";
import { commonFailure, failureCause, type ToolFailure, toolFailures } from "../tool-failure/tool-failures";
import { loopScore, loopVerdict } from "./loop-score";

/** Weights of repeats with a possible explanation, tuned on the repeated calls of tau2 and AgentDojo. */
const WEIGHT = {
  /** A user message in between, which may have asked for it. */
  afterUser: 0.34,
  /** Other calls in between, which may have changed the state. */
  fewCallsBetween: 0.6,
  manyCallsBetween: 0.25,
  /** Tools that are meant to be called repeatedly. */
  polling: 0.5,
  /** Unknown result, which may have differed. */
  resultUnknown: 0.8,
  /** The same failure with different arguments. */
  sameFailure: 0.7,
  /** Different arguments and again an empty result. */
  emptyAgain: 0.4,
} as const;
/** With at most this many other calls in between, a repeat belongs to the same step. */
const FEW_CALLS = 3;
/** Signals with a lower score are not reported. */
const SCORE_FLOOR = 0.15;
const POLLING = /(?:^|[_\W])(?:wait|poll|sleep|status|progress|ping|heartbeat|refresh|monitor|check)/i;
const NOTHING_FOUND =
  /^\W{0,4}(?:\[\s{0,3}\]|\{\s{0,3}\}|none|null|no (?:\w{1,20} ){0,3}(?:results?|matches|records?|items?|entries|data|files?|documents?)\b[^\n]{0,100})?\W{0,4}$/i;

export const repeatedToolCall: Detector = {
  signal: "repeated_tool_call",
  severity: "medium",
  enabledByDefault: true,
  looksFor:
    "The same tool called again with the same arguments and the same result, or repeatedly with the same failure.",
  detect: (conversation) =>
    mergeByCause([...sameCalls(conversation), ...sameFailures(conversation), ...emptySearches(conversation)]),
};

/** Returns the cause of a tool that is called with the same arguments and returns the same. */
export const sameCall = (name: string) => `${name}: same call, same result`;

const failsAgain = ({ exchange, message }: ToolFailure) =>
  `\`${exchange.name}\` fails again and again: ${describeCause(message)}`;

type Placed = { step: Step; position: number };

function sameCalls(conversation: ConversationSnapshot): DetectedSignal[] {
  const groups = new Map<string, Placed[]>();
  agentSteps(conversation).forEach((step, position) => {
    const group = groups.get(step.call);
    if (group) group.push({ step, position });
    else groups.set(step.call, [{ step, position }]);
  });
  return [...groups.values()].flatMap((group) => {
    if (group.length < 2) return [];
    let repeats = 0;
    const shown = new Set<Step>();
    for (let index = 1; index < group.length; index++) {
      const weight = repeatWeight(group[index - 1]!, group[index]!);
      if (weight === 0) continue;
      repeats += weight;
      shown.add(group[index - 1]!.step).add(group[index]!.step);
    }
    const name = group[0]!.step.exchange.name;
    const args = excerpt(group[0]!.step.exchange.arguments, 100);
    const failure = commonFailure(
      conversation,
      [...shown].map(({ exchange }) => exchange),
    );
    return signal(conversation, repeats, [...shown], {
      cause: failure ? failureCause(failure) : sameCall(name),
      title: failure ? failsAgain(failure) : `\`${name}\` is called again and again with the same result`,
      summary: `\`${name}\` was called ${shown.size} times with “${args}” and returned the same result.`,
    });
  });
}

function repeatWeight(before: Placed, after: Placed): number {
  if (before.step.result !== after.step.result) return 0;
  const between = after.position - before.position - 1;
  let weight = between === 0 ? 1 : between <= FEW_CALLS ? WEIGHT.fewCallsBetween : WEIGHT.manyCallsBetween;
  if (after.step.userTurns > before.step.userTurns) weight *= WEIGHT.afterUser;
  if (after.step.result === null) weight *= WEIGHT.resultUnknown;
  if (POLLING.test(after.step.exchange.name)) weight *= WEIGHT.polling;
  return weight;
}

/** Finds runs of one tool failing in the same way with different arguments, without a user message in between. */
function sameFailures(conversation: ConversationSnapshot): DetectedSignal[] {
  const steps = agentSteps(conversation);
  const failures = toolFailures(conversation).filter(({ verdict }) => verdict === "match");
  const runs = runsOf(failures, (before, after) => {
    const [a, b] = [steps[before.position]!, steps[after.position]!];
    return (
      a.exchange.name === b.exchange.name &&
      a.userTurns === b.userTurns &&
      after.position - before.position <= FEW_CALLS + 1 &&
      before.template === after.template
    );
  });
  return runs.flatMap((run) => {
    const shown = run.map(({ position }) => steps[position]!);
    if (new Set(shown.map((step) => step.call)).size < 2) return []; // the same call: counted above
    const { exchange, message } = run[0]!;
    return signal(conversation, (run.length - 1) * WEIGHT.sameFailure, shown, {
      cause: failureCause(run[0]!),
      title: failsAgain(run[0]!),
      summary: `\`${exchange.name}\` failed ${run.length} times in a row with “${excerpt(message, 120)}”.`,
    });
  });
}

/** Finds runs of one tool returning empty results for different arguments. */
function emptySearches(conversation: ConversationSnapshot): DetectedSignal[] {
  const runs = runsOf(
    agentSteps(conversation).filter(({ exchange }) => exchange.result !== null),
    (before, after) =>
      before.exchange.name === after.exchange.name &&
      before.userTurns === after.userTurns &&
      before.call !== after.call &&
      NOTHING_FOUND.test(before.result!.slice(0, 200)) &&
      NOTHING_FOUND.test(after.result!.slice(0, 200)) &&
      before.result !== "",
  );
  return runs.flatMap((run) => {
    const name = run[0]!.exchange.name;
    return signal(conversation, (run.length - 1) * WEIGHT.emptyAgain, run, {
      cause: `${name}: nothing found`,
      title: `\`${name}\` is called again and again and finds nothing`,
      summary: `\`${name}\` was called ${run.length} times in a row with different arguments and found nothing.`,
    });
  });
}

function runsOf<Item>(items: readonly Item[], follows: (before: Item, after: Item) => boolean): Item[][] {
  const runs: Item[][] = [];
  let run: Item[] = [];
  for (const item of items) {
    const last = run.at(-1);
    if (last !== undefined && !follows(last, item)) {
      if (run.length > 1) runs.push(run);
      run = [];
    }
    run.push(item);
  }
  if (run.length > 1) runs.push(run);
  return runs;
}

function signal(
  conversation: ConversationSnapshot,
  repeats: number,
  shown: readonly Step[],
  words: Pick<DetectedSignal, "cause" | "title" | "summary">,
): DetectedSignal[] {
  const score = loopScore(repeats);
  if (score < SCORE_FLOOR) return [];
  const evidence = shown.map(({ exchange }) => quoteExchange(conversation, exchange));
  return [{ name: "repeated_tool_call", score, verdict: loopVerdict(score), evidence, ...words }];
}
