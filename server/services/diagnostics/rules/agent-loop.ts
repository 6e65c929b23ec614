import { AGENT_LOOP_DETECTORS } from "../detectors";
import type { Rule } from "../types";

export const agentLoop: Rule = {
  id: "agent-loop",
  version: 2,
  name: "Agent loop",
  summary: "An agent stuck in a loop: the same calls, the same words, the same work again.",
  detectors: AGENT_LOOP_DETECTORS,
};
