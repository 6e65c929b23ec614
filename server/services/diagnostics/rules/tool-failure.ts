import { TOOL_FAILURE_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const toolFailure: BuiltIn = {
  version: 1,
  summary: "Tools that fail, are called wrongly or do not exist, and answers that ignore such failures.",
  detectors: TOOL_FAILURE_DETECTORS,
};
