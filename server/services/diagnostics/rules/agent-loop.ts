import { AGENT_LOOP_DETECTORS } from "../detectors";
import type { BuiltIn } from "../types";

export const agentLoop: BuiltIn = {
  version: 2,
  summary: "An agent stuck in a loop: the same calls, the same words, the same work again.",
  detectors: AGENT_LOOP_DETECTORS,
};
