import { PROVIDER_HEALTH_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const providerHealth: BuiltIn = {
  version: 1,
  summary: "Model calls that fail, are refused, take far longer or cost far more than usual in this project.",
  detectors: PROVIDER_HEALTH_DETECTORS,
};
