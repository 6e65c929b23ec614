import { PROVIDER_HEALTH_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const providerHealth: Rule = {
  id: "provider-health",
  version: 1,
  name: "Provider health",
  summary: "Model calls that fail, are refused, take far longer or cost far more than usual in this project.",
  detectors: PROVIDER_HEALTH_DETECTORS,
};
