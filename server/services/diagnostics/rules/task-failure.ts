import { TASK_FAILURE_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const taskFailure: BuiltIn = {
  version: 1,
  summary: "Runs that were cut off, requests left open, and work that was announced or claimed but not done.",
  detectors: TASK_FAILURE_DETECTORS,
};
