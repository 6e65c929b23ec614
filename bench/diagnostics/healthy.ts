import type { DiagnosedSignal } from "@/bench/labelled";
import { DEFAULT_CONFIGURATION } from "@/server/services/diagnostics/rules";
import { isMatch } from "./figures";
import { conversationReadings, type Diagnosed } from "./readings";

/** How often a Signal is reported at default thresholds where nothing is wrong. */
export type FalseAlarms = { healthy: number; alarms: number };

/** Conversations in files of this name have nothing to report; so have those labelled `healthy`. */
const HEALTHY_FILE = /^healthy/;
const isHealthy = ({ file, conversation }: Diagnosed) =>
  HEALTHY_FILE.test(file) || conversation.labels?.healthy === true;

/** Returns whether a Signal would become an occurrence under its Rule's default configuration, without an adjudicator. */
export const speaksUp = (signal: DiagnosedSignal) =>
  isMatch(signal) &&
  signal.score >= DEFAULT_CONFIGURATION.minSignalScore &&
  signal.confidence >= DEFAULT_CONFIGURATION.minDiagnosticConfidence;

/** Counts false alarms per Signal: on healthy conversations, and on those whose labels say that it is absent. */
export function falseAlarms(diagnosed: readonly Diagnosed[], signals: readonly string[]): Map<string, FalseAlarms> {
  const counts = new Map(signals.map((signal) => [signal, { healthy: 0, alarms: 0 }]));
  const count = (signal: string, alarm: boolean) => {
    const one = counts.get(signal);
    if (!one) return;
    one.healthy++;
    if (alarm) one.alarms++;
  };
  for (const one of diagnosed) {
    if (isHealthy(one)) {
      const spoken = new Set(one.found.filter(speaksUp).map(({ name }) => name));
      for (const signal of signals) count(signal, spoken.has(signal));
    } else {
      for (const { signal, verdict } of conversationReadings(one)) {
        if (!verdict.present) count(signal, verdict.found.some(speaksUp));
      }
    }
  }
  return counts;
}
