import { excerpt } from "@/server/platform/excerpt";
import type { Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { byCertainty } from "./certainty";
import { corrections } from "./corrections";
import { outcomeOf } from "./outcome";

const IGNORED_SCORE = 0.85;

export const ignoredCorrection: Detector = {
  signal: "ignored_correction",
  severity: "high",
  enabledByDefault: true,
  looksFor: "An assistant that says the same thing again after the user corrected it, or has to be corrected again.",
  detect: (conversation) =>
    mergeByCause(
      corrections(conversation).flatMap((correction) => {
        const outcome = outcomeOf(conversation, correction);
        if (outcome?.kind !== "ignored") return [];
        const { turn, start, end, words } = correction;
        return [
          {
            name: "ignored_correction",
            ...byCertainty(correction, IGNORED_SCORE, "ignored a correction"),
            evidence: [
              quoteMessage(conversation.messages, turn.index, start, end),
              quoteMessage(conversation.messages, outcome.index),
            ],
            title: "The assistant ignores the user's correction",
            summary: `The user said “${excerpt(words, 120)}”, but the assistant went on: “${excerpt(outcome.reply, 120)}”.`,
          },
        ];
      }),
    ),
};
