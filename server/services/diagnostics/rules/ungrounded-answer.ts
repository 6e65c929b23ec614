import { UNGROUNDED_ANSWER_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const ungroundedAnswer: Rule = {
  id: "ungrounded-answer",
  version: 1,
  name: "Ungrounded answer",
  summary: "Answers that contradict what the tools returned, or state what nothing in the conversation supports.",
  detectors: UNGROUNDED_ANSWER_DETECTORS,
};
