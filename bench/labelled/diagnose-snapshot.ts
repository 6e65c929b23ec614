import { RULES } from "@/server/services/diagnostics/rules";
import { signalsIn } from "@/server/services/diagnostics/rules/run-rule";
import { DEFAULT_CONFIGURATION } from "@/server/services/diagnostics/rules/schemas";
import type { ConversationSnapshot, Evidence, Rule } from "@/server/services/diagnostics/types";

/** One Signal in a conversation, as printed by `cli diagnose`. */
export type DiagnosedSignal = {
  rule: string;
  name: string;
  /** The detector's score, 0..1. */
  score: number;
  /** Probability that it is correct, 0..1. */
  confidence: number;
  verdict: "match" | "ambiguous";
  evidence: Evidence[];
};

/** Returns the Signals of all Rules in a conversation before thresholds, including ambiguous ones. */
export function diagnoseSnapshot(
  conversation: ConversationSnapshot,
  rules: readonly Rule[] = RULES,
): DiagnosedSignal[] {
  return rules.flatMap((rule) =>
    signalsIn(rule, conversation, DEFAULT_CONFIGURATION).map(({ signal, score, confidence, verdict, evidence }) => ({
      rule: rule.id,
      name: signal,
      score,
      confidence,
      verdict,
      evidence,
    })),
  );
}
