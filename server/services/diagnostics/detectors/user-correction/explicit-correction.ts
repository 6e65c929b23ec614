import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { byCertainty } from "./certainty";
import { corrections } from "./corrections";

const SAID_SCORE = 0.8;
const GIVEN_SCORE = 0.95;

export const explicitCorrection: Detector = {
  signal: "explicit_correction",
  severity: "medium",
  enabledByDefault: true,
  looksFor: "A user who says that the assistant is wrong or misunderstood, or gives a correction as feedback.",
  detect: (conversation) =>
    mergeByCause([
      ...given(conversation),
      ...corrections(conversation).map((correction) => {
        const { turn, start, end, words } = correction;
        return {
          name: "explicit_correction",
          ...byCertainty(correction, SAID_SCORE, "corrected by the user"),
          evidence: [quoteMessage(conversation.messages, turn.index, start, end)],
          title: "The user corrects the assistant",
          summary: `To “${excerpt(turn.heard.trim(), 120)}” the user replied “${excerpt(words, 160)}”.`,
        };
      }),
    ]),
};

function given({ messages, feedback = [] }: ConversationSnapshot): DetectedSignal[] {
  return feedback.flatMap(({ kind, value, messageIndex, givenByUser }) => {
    if (kind !== "correction" || !givenByUser) return [];
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    const index = messageIndex ?? (last < 0 ? null : last);
    return [
      {
        name: "explicit_correction",
        score: GIVEN_SCORE,
        verdict: "match" as const,
        evidence: index === null ? [] : [quoteMessage(messages, index)],
        cause: "correction given",
        title: "A user gives a correction of an answer as feedback",
        summary: `A user gave as feedback what the answer should have been: “${excerpt(String(value), 160)}”.`,
      },
    ];
  });
}
