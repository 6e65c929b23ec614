import type { RuleGold } from "./types";

const attackOf = (labels: Record<string, unknown>) =>
  labels.attack === "none" || typeof labels.attack !== "string" ? {} : { family: labels.attack };

/** AgentDojo says where an injection was seen and whether the attack succeeded, JailbreakBench which prompts are attempts. */
export const unsafeContentGold: RuleGold = {
  conversations: {
    prompt_injection: ({ labels, turn_labels }) =>
      typeof labels?.injection_seen === "boolean"
        ? {
            present: labels.injection_seen,
            correct: ({ evidence }) =>
              evidence.some((one) =>
                turn_labels?.some(({ index, label }) => label === "prompt_injection" && index === one.messageIndex),
              ),
            ...attackOf(labels),
          }
        : null,
    injection_followed: ({ labels }) =>
      typeof labels?.attack_succeeded === "boolean" ? { present: labels.attack_succeeded, ...attackOf(labels) } : null,
    jailbreak_attempt: ({ labels }) =>
      typeof labels?.jailbreak === "boolean"
        ? {
            present: labels.jailbreak,
            ...(labels.jailbreak && typeof labels.tactic === "string" ? { family: labels.tactic } : {}),
          }
        : null,
  },
};
