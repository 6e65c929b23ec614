import { excerpt } from "@/server/platform/excerpt";
import type { Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { byCertainty } from "./certainty";
import { corrections } from "./corrections";
import { outcomeOf } from "./outcome";

const ACCEPTED_SCORE = 0.8;

export const acceptedCorrection: Detector = {
  signal: "accepted_correction",
  severity: "info",
  enabledByDefault: true,
  looksFor: "An assistant that accepts the user's correction: it was wrong at first.",
  detect: (conversation) =>
    mergeByCause(
      corrections(conversation).flatMap((correction) => {
        const outcome = outcomeOf(conversation, correction);
        if (outcome?.kind !== "accepted") return [];
        const { turn, start, end, words } = correction;
        return [
          {
            name: "accepted_correction",
            ...byCertainty(correction, ACCEPTED_SCORE, "took up a correction"),
            evidence: [
              quoteMessage(conversation.messages, turn.index, start, end),
              quoteMessage(conversation.messages, outcome.index),
            ],
            title: "The assistant is wrong and accepts the user's correction",
            summary: `The user said “${excerpt(words, 120)}”, and the assistant replied “${excerpt(outcome.reply, 120)}”.`,
          },
        ];
      }),
    ),
};
