import type { Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { agentSteps, isSameStep, type Step } from "../reading/exchange-keys";
import { quoteExchange } from "../reading/tool-exchanges";
import { loopScore, loopVerdict } from "./loop-score";

/** Calls per round. Longer rounds are restarted work, which has its own Signal. */
const PERIODS = [2, 3, 4, 5] as const;
/** Minimum number of rounds: A B A is a second look, not a loop. */
const ROUNDS_WORTH_NOTICE = 2;
/** Weight of rounds after a user message, which may have asked for them. */
const AFTER_USER = 0.4;

type Cycle = { period: number; start: number; end: number };

export const alternatingToolCalls: Detector = {
  signal: "alternating_tool_calls",
  severity: "medium",
  enabledByDefault: true,
  looksFor: "The same few tool calls in alternation, repeated with the same arguments and the same results.",
  detect(conversation) {
    const steps = agentSteps(conversation);
    if (steps.length < ROUNDS_WORTH_NOTICE * PERIODS[0]) return [];
    return mergeByCause(
      cycles(steps).map((cycle) => {
        const shown = steps.slice(cycle.start, cycle.end);
        const rounds = shown.length / cycle.period;
        const spoken = shown.at(-1)!.userTurns - shown[0]!.userTurns;
        const score = loopScore(Math.max(0, (rounds - 1) * (spoken > 0 ? AFTER_USER : 1)));
        const names = shown.slice(0, cycle.period).map(({ exchange }) => exchange.name);
        const tools = [...new Set(names)].map((name) => `\`${name}\``).join(", ");
        return {
          name: "alternating_tool_calls",
          score,
          verdict: loopVerdict(score),
          evidence: shown.map(({ exchange }) => quoteExchange(conversation, exchange)),
          cause: `${[...names].sort().join(" ")}: in turn`,
          title: `Calls to ${tools} alternate without progress`,
          summary: `A cycle of ${cycle.period} calls (${tools}) ran ${Math.floor(rounds)} times with the same results.`,
        };
      }),
    );
  },
};

/** Returns the longest stretches in which every step equals the one a period earlier, none nested in another. */
function cycles(steps: readonly Step[]): Cycle[] {
  const found: Cycle[] = [];
  for (const period of PERIODS) {
    let start = 0;
    for (let index = period; index <= steps.length; index++) {
      if (index < steps.length && isSameStep(steps[index]!, steps[index - period]!)) continue;
      const long = index - start >= period * ROUNDS_WORTH_NOTICE;
      if (long && varied(steps, start, period) && !found.some((other) => other.start <= start && other.end >= index)) {
        found.push({ period, start, end: index });
      }
      start = index - period + 1;
    }
  }
  return found;
}

/** A single call over and over is a repeated call, not an alternation. */
const varied = (steps: readonly Step[], start: number, period: number) =>
  steps.slice(start, start + period).some((step) => !isSameStep(step, steps[start]!));
