import { TOOL_FAILURE_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const toolFailure: Rule = {
  id: "tool-failure",
  version: 1,
  name: "Tool failure",
  summary: "Tools that fail, are called wrongly or do not exist, and answers that ignore such failures.",
  detectors: TOOL_FAILURE_DETECTORS,
};
