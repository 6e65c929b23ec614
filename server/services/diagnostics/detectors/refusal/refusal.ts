import type { Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { refusalSignal } from "./refusal-signal";
import { refusalsIn } from "./refusals";

export const refusal: Detector = {
  signal: "refusal",
  severity: "medium",
  enabledByDefault: true,
  looksFor: "An answer that declines what the user asked, in so many words or by explaining why one should not.",
  detect: ({ messages }) =>
    mergeByCause(
      refusalsIn(messages)
        .filter(({ isPartial }) => !isPartial)
        .map((one) => refusalSignal(messages, one, { name: "refusal", what: "Refuses" })),
    ),
};
