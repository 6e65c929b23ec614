import { REFUSAL_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const refusal: Rule = {
  id: "refusal",
  version: 2,
  name: "Refusal",
  summary: "Answers that decline what the user asked, wholly or in part, and those that refuse a harmless request.",
  detectors: REFUSAL_DETECTORS,
};
