import { BROKEN_RESPONSE_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const brokenResponse: Rule = {
  id: "broken-response",
  version: 2,
  name: "Broken response",
  summary:
    "Answers that are empty, cut off, malformed, in the wrong language, stuck on a phrase, or show the chat template.",
  detectors: BROKEN_RESPONSE_DETECTORS,
};
