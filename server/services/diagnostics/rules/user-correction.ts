import { USER_CORRECTION_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const userCorrection: BuiltIn = {
  version: 1,
  summary: "Users who correct the assistant, and how it responds.",
  detectors: USER_CORRECTION_DETECTORS,
};
