import type { RuleGold } from "./types";

export const brokenResponseGold: RuleGold = {
  conversations: {
    language_mismatch: ({ labels }) =>
      typeof labels?.script_mismatch === "boolean" ? { present: labels.script_mismatch } : null,
  },
};
