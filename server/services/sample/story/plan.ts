import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { adviceScript, refusedAdviceScript } from "./advice";
import { everydayScript } from "./everyday";
import {
  emptyAnswerScript,
  ignoredCorrectionScript,
  loopScript,
  mistypedOrderScript,
  rateLimitedScript,
  wrongRefundScript,
} from "./failures";
import { englishInsteadScript, germanScript } from "./german";
import { type Dice, diceOf, pickByShare } from "./random";
import type { Script } from "./script";

/** A fixed seed, so that every load tells the same story. */
const SEED = 20_417;

/** Conversations per day, from the oldest of the last 14 days to the newest: 400 in total. */
const PER_DAY = [29, 27, 31, 28, 24, 26, 30, 32, 28, 27, 25, 29, 34, 30];
export const DAYS = PER_DAY.length;

/** Relative traffic by hour of the day (UTC), for customers in Europe. */
const PER_HOUR = [1, 1, 0.5, 0.5, 0.5, 1, 3, 6, 9, 10, 10, 9, 8, 8, 9, 9, 9, 10, 12, 13, 11, 8, 4, 2];

/** Releases of the shop's agent, with the day on which each goes live. */
const RELEASES = [
  { from: 0, version: "2.3.0" },
  { from: 5, version: "2.4.0" },
  { from: 9, version: "2.4.1" },
  { from: 11, version: "2.5.0" },
] as const;

/** What the releases were meant to fix, as marked by the shop's team. */
export const FIXES = [
  { release: "2.4.0", day: 5, kind: "loop" },
  { release: "2.4.1", day: 9, kind: "englishInstead" },
  { release: "2.5.0", day: 11, kind: "ignoredCorrection" },
] as const;
/** Later conversations are diagnosed after those fixes have been marked: 2.5.0 brings the loop back. */
export const SECOND_PART_FROM_DAY = 11;
/** The day on which the second version of the advice agent's prompt goes live. */
export const SECOND_PROMPT_FROM_DAY = 8;

type Telling = (dice: Dice, at: number, n: number) => Script;

/** Conversations of each special kind by day; all others are everyday ones. */
const TOLD = {
  englishInstead: {
    perDay: [3, 2, 3, 2, 3, 2, 3, 2, 2, 0, 0, 0, 0, 0],
    script: (dice, _, n) => englishInsteadScript(dice, n),
  },
  german: { perDay: [2, 2, 2, 2, 2, 2, 2, 2, 2, 5, 4, 5, 5, 4], script: (dice, _, n) => germanScript(dice, n) },
  loop: { perDay: [2, 2, 2, 1, 2, 0, 0, 0, 0, 0, 0, 2, 2, 2], script: (dice, at) => loopScript(dice, at) },
  wrongRefund: {
    perDay: [1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1],
    script: (dice, at) => wrongRefundScript(dice, at),
  },
  ignoredCorrection: {
    perDay: [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
    script: (dice) => ignoredCorrectionScript(dice),
  },
  emptyAnswer: {
    perDay: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    script: (dice, _, n) => emptyAnswerScript(dice, n),
  },
  mistypedOrder: { perDay: [1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0], script: (dice) => mistypedOrderScript(dice) },
  rateLimited: { perDay: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0], script: (dice) => rateLimitedScript(dice) },
  refusedAdvice: {
    perDay: [2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0],
    script: (dice, _, n) => refusedAdviceScript(dice, n),
  },
  advice: { perDay: [1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 4, 5, 6, 5], script: (dice, _, n) => adviceScript(dice, n) },
} as const satisfies Record<string, { perDay: readonly number[]; script: Telling }>;
type Special = keyof typeof TOLD;
export type Kind = Special | "everyday";
const SPECIAL = Object.keys(TOLD) as Special[];

/** The six failures that the sample is about, with the Rule and the Signal that report them. */
export const PLANTED = {
  englishInstead: { ruleId: "broken-response", signal: "language_mismatch" },
  loop: { ruleId: "agent-loop", signal: "repeated_tool_call" },
  wrongRefund: { ruleId: "ungrounded-answer", signal: "contradicts_tool_result" },
  ignoredCorrection: { ruleId: "user-correction", signal: "ignored_correction" },
  emptyAnswer: { ruleId: "broken-response", signal: "empty_response" },
  refusedAdvice: { ruleId: "refusal", signal: "refusal" },
} as const satisfies Partial<Record<Special, { ruleId: string; signal: string }>>;

export const countOf = (kind: Special) => TOLD[kind].perDay.reduce<number>((sum, count) => sum + count, 0);

/** A model with its speed and its relative frequency. */
const MODELS = [
  { provider: "openai", model: "gpt-4.1", msPerToken: 11, share: 5 },
  { provider: "openai", model: "gpt-4.1-mini", msPerToken: 7, share: 3 },
  { provider: "anthropic", model: "claude-sonnet-4-5", msPerToken: 14, share: 2 },
] as const;
/** Answers simple questions, sometimes in the wrong language or not at all. */
const CHEAP = { provider: "openai", model: "gpt-4.1-nano", msPerToken: 4 } as const;
/** Gives advice on gear. */
const ADVISER = { provider: "openai", model: "gpt-4.1-mini", msPerToken: 7 } as const;
export type Model = { provider: string; model: string; msPerToken: number };

export type Planned = {
  /** Position in time, from 0. */
  number: number;
  kind: Kind;
  day: number;
  startedAt: number;
  release: string;
  userId: string;
  model: Model;
  script: Script;
  thumb: "up" | "down" | null;
  /** The version of the advice agent's prompt; `null`: the support agent answers. */
  advicePrompt: 1 | 2 | null;
};

/** Returns the sample's conversations in the 14 days before `until` (Unix ms), oldest first. Pure and deterministic. */
export function plannedConversations(until: number): Planned[] {
  const counts = Object.fromEntries(SPECIAL.map((kind) => [kind, 0])) as Record<Special, number>;
  let number = 0;
  return PER_DAY.flatMap((count, day) => {
    const begin = until - (DAYS - day) * DAY_MS;
    const dice = diceOf(SEED + day);
    const kinds = shuffled(dice, kindsOf(day, count));
    const times = kinds.map(() => timeIn(dice, begin)).sort((a, b) => a - b);
    return kinds.map((kind, at): Planned => {
      const own = diceOf(SEED * 7 + number * 101);
      const startedAt = times[at]!;
      const n = kind === "everyday" ? 0 : counts[kind]++;
      const script = kind === "everyday" ? everydayScript(own, startedAt) : TOLD[kind].script(own, startedAt, n);
      const release = RELEASES.findLast(({ from }) => day >= from)!.version;
      return {
        number: number++,
        kind,
        day,
        startedAt,
        release,
        userId: userOf(own, kind, n),
        model: modelOf(own, kind, script),
        script,
        thumb: thumbOf(own, kind),
        advicePrompt: ADVISED.has(kind) ? (day < SECOND_PROMPT_FROM_DAY ? 1 : 2) : null,
      };
    });
  });
}

/** Who asks in German asks once, so that no customer is in training and among the held-out ones; no proof rests on one customer. */
const ONCE: Partial<Record<Kind, number>> = { german: 2000, englishInstead: 3000, refusedAdvice: 4000 };

function userOf(dice: Dice, kind: Kind, n: number): string {
  const anyone = 1000 + dice.between(0, 179);
  const first = ONCE[kind];
  return `cust_${first === undefined ? anyone : first + n}`;
}

/** Returns the customers of the conversations that were answered in German. */
export const answeredInGerman = (): string[] =>
  plannedConversations(0).flatMap(({ kind, userId }) => (kind === "german" ? [userId] : []));

function kindsOf(day: number, count: number): Kind[] {
  const special = SPECIAL.flatMap((kind) => Array<Kind>(TOLD[kind].perDay[day]!).fill(kind));
  return [...special, ...Array<Kind>(count - special.length).fill("everyday")];
}

function shuffled<T>(dice: Dice, items: readonly T[]): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = dice.between(0, at);
    [mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!];
  }
  return mixed;
}

/** Maximum duration of a conversation, so that even the newest ones have ended when they are sent. */
const LONGEST_MS = 10 * 60_000;

/** Returns a time within the day that begins at `begin`, more often in busy hours. */
function timeIn(dice: Dice, begin: number): number {
  for (;;) {
    const at = begin + Math.floor(dice.number() * (DAY_MS - LONGEST_MS));
    if (dice.number() * Math.max(...PER_HOUR) < PER_HOUR[Math.floor(at / HOUR_MS) % 24]!) return at;
  }
}

const ADVISED = new Set<Kind>(["refusedAdvice", "advice"]);
const HANDLED_BY_CHEAP = new Set<Kind>(["englishInstead", "emptyAnswer"]);

function modelOf(dice: Dice, kind: Kind, script: Script): Model {
  if (ADVISED.has(kind)) return ADVISER;
  const usesTools = script.some((line) => "tool" in line);
  if (HANDLED_BY_CHEAP.has(kind) || (!usesTools && dice.chance(0.6))) return CHEAP;
  return pickByShare(dice, MODELS);
}

const UNHAPPY = new Set<Kind>(["wrongRefund", "ignoredCorrection"]);

function thumbOf(dice: Dice, kind: Kind): Planned["thumb"] {
  if (UNHAPPY.has(kind)) return dice.chance(0.4) ? "down" : null;
  return (kind === "everyday" || kind === "german") && dice.chance(0.14) ? "up" : null;
}
