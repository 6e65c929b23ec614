import { USER_CORRECTION_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const userCorrection: Rule = {
  id: "user-correction",
  version: 1,
  name: "User correction",
  summary: "Users who correct the assistant, and how it responds.",
  detectors: USER_CORRECTION_DETECTORS,
};
