import type { RuleGold } from "./types";

/** BETOLD labels which callers hung up late; rated dialogues, cut at a turn, label whether the user was dissatisfied there. */
export const userDissatisfactionGold: RuleGold = {
  conversations: {
    abandonment: ({ labels }) => (typeof labels?.abandoned === "boolean" ? { present: labels.abandoned } : null),
    frustration: ({ labels }) => (typeof labels?.dissatisfied === "boolean" ? { present: labels.dissatisfied } : null),
  },
};
