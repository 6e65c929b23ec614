import { RULES } from "../../server/services/diagnostics/rules";
import { signalsIn } from "../../server/services/diagnostics/rules/run-rule";
import { DEFAULT_CONFIGURATION } from "../../server/services/diagnostics/rules/validate-configuration";
import type { ConversationSnapshot, Evidence, Rule } from "../../server/services/diagnostics/types";

/** One Signal in a conversation, as `cli diagnose` prints it. */
export type DiagnosedSignal = {
  rule: string;
  name: string;
  /** The detector's own, 0..1. */
  score: number;
  /** How likely it is right, 0..1. */
  confidence: number;
  verdict: "match" | "ambiguous";
  evidence: Evidence[];
};

/** What all Rules see in a conversation, before any threshold: ambiguous signals are told as such. */
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
