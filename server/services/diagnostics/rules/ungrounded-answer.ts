import { UNGROUNDED_ANSWER_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const ungroundedAnswer: BuiltIn = {
  version: 1,
  summary: "Answers that contradict what the tools returned, or state what nothing in the conversation supports.",
  detectors: UNGROUNDED_ANSWER_DETECTORS,
};
