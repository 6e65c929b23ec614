import { TASK_FAILURE_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const taskFailure: Rule = {
  id: "task-failure",
  version: 1,
  name: "Task failure",
  summary: "Runs that were cut off, requests left open, and work that was announced or claimed but not done.",
  detectors: TASK_FAILURE_DETECTORS,
};
