import { BROKEN_RESPONSE_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const brokenResponse: BuiltIn = {
  version: 2,
  summary:
    "Answers that are empty, cut off, malformed, in the wrong language, stuck on a phrase, or show the chat template.",
  detectors: BROKEN_RESPONSE_DETECTORS,
};
