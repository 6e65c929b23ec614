import type { Detector } from "../types";
import { alternatingToolCalls } from "./agent-loop/alternating-tool-calls";
import { repeatedMessage } from "./agent-loop/repeated-message";
import { repeatedToolCall } from "./agent-loop/repeated-tool-call";
import { restartedWork } from "./agent-loop/restarted-work";
import { degenerateRepetition } from "./broken-response/degenerate-repetition";
import { emptyResponse } from "./broken-response/empty-response";
import { languageMismatch } from "./broken-response/language-mismatch";
import { leakedTemplate } from "./broken-response/leaked-template";
import { malformedOutput } from "./broken-response/malformed-output";
import { truncatedResponse } from "./broken-response/truncated-response";
import { invalidToolArguments } from "./tool-failure/invalid-tool-arguments";
import { toolError } from "./tool-failure/tool-error";
import { toolErrorIgnored } from "./tool-failure/tool-error-ignored";
import { toolTimeout } from "./tool-failure/tool-timeout";
import { unknownTool } from "./tool-failure/unknown-tool";

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
