import type { Detector } from "../types";
import { alternatingToolCalls } from "./alternating-tool-calls";
import { degenerateRepetition } from "./degenerate-repetition";
import { emptyResponse } from "./empty-response";
import { invalidToolArguments } from "./invalid-tool-arguments";
import { languageMismatch } from "./language-mismatch";
import { leakedTemplate } from "./leaked-template";
import { malformedOutput } from "./malformed-output";
import { repeatedMessage } from "./repeated-message";
import { repeatedToolCall } from "./repeated-tool-call";
import { restartedWork } from "./restarted-work";
import { toolError } from "./tool-error";
import { toolErrorIgnored } from "./tool-error-ignored";
import { toolTimeout } from "./tool-timeout";
import { truncatedResponse } from "./truncated-response";
import { unknownTool } from "./unknown-tool";

export const TOOL_FAILURE_DETECTORS: readonly Detector[] = [
  toolError,
  invalidToolArguments,
  unknownTool,
  toolErrorIgnored,
  toolTimeout,
];

export const AGENT_LOOP_DETECTORS: readonly Detector[] = [
  repeatedToolCall,
  alternatingToolCalls,
  repeatedMessage,
  restartedWork,
];

export const BROKEN_RESPONSE_DETECTORS: readonly Detector[] = [
  emptyResponse,
  truncatedResponse,
  malformedOutput,
  languageMismatch,
  degenerateRepetition,
  leakedTemplate,
];
