import type { LabelledConversation } from "@/bench/labelled";
import type { Gold, RuleGold } from "./types";

const LIMITS = /max_steps|max_turns|too_many|time_?out/;

/** A run judged a success has no failed task; a failed run may have failed in another way, which only lowers recall. */
const failed = ({ labels }: LabelledConversation): Gold | null =>
  typeof labels?.success === "boolean" ? { present: !labels.success } : null;

export const taskFailureGold: RuleGold = {
  conversations: {
    ended_by_limit: ({ labels }) =>
      typeof labels?.termination === "string" ? { present: LIMITS.test(labels.termination) } : null,
    unresolved_request: failed,
    unfulfilled_promise: failed,
    premature_claim: failed,
  },
};
