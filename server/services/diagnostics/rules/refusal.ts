import { REFUSAL_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const refusal: BuiltIn = {
  version: 2,
  summary: "Answers that decline what the user asked, wholly or in part, and those that refuse a harmless request.",
  detectors: REFUSAL_DETECTORS,
};
