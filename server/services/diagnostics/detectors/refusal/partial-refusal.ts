import type { Detector } from "../../types";
import { mergeByCause } from "../reading/evidence";
import { refusalSignal } from "./refusal-signal";
import { refusalsIn } from "./refusals";

export const partialRefusal: Detector = {
  signal: "partial_refusal",
  severity: "low",
  enabledByDefault: true,
  looksFor: "An answer that declines part of what the user asked and helps with the rest.",
  detect: ({ messages }) =>
    mergeByCause(
      refusalsIn(messages)
        .filter(({ isPartial }) => isPartial)
        .map((one) => refusalSignal(messages, one, { name: "partial_refusal", what: "Refuses a part" })),
    ),
};
