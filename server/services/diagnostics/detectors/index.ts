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
import { contextOverflow } from "./provider-health/context-overflow";
import { costSpike } from "./provider-health/cost-spike";
import { providerError } from "./provider-health/provider-error";
import { rateLimited } from "./provider-health/rate-limited";
import { slowResponse } from "./provider-health/slow-response";
import { overRefusal } from "./refusal/over-refusal";
import { partialRefusal } from "./refusal/partial-refusal";
import { refusal } from "./refusal/refusal";
import { endedByLimit } from "./task-failure/ended-by-limit";
import { prematureClaim } from "./task-failure/premature-claim";
import { unfulfilledPromise } from "./task-failure/unfulfilled-promise";
import { unresolvedRequest } from "./task-failure/unresolved-request";
import { invalidToolArguments } from "./tool-failure/invalid-tool-arguments";
import { toolError } from "./tool-failure/tool-error";
import { toolErrorIgnored } from "./tool-failure/tool-error-ignored";
import { toolTimeout } from "./tool-failure/tool-timeout";
import { unknownTool } from "./tool-failure/unknown-tool";
import { contradictsToolResult } from "./ungrounded-answer/contradicts-tool-result";
import { unsupportedClaim } from "./ungrounded-answer/unsupported-claim";
import { injectionFollowed } from "./unsafe-content/injection-followed";
import { jailbreakAttempt } from "./unsafe-content/jailbreak-attempt";
import { personalDataLeak } from "./unsafe-content/personal-data-leak";
import { promptInjection } from "./unsafe-content/prompt-injection";
import { secretLeak } from "./unsafe-content/secret-leak";
import { systemPromptLeak } from "./unsafe-content/system-prompt-leak";
import { acceptedCorrection } from "./user-correction/accepted-correction";
import { explicitCorrection } from "./user-correction/explicit-correction";
import { ignoredCorrection } from "./user-correction/ignored-correction";
import { abandonment } from "./user-dissatisfaction/abandonment";
import { escalationRequest } from "./user-dissatisfaction/escalation-request";
import { frustration } from "./user-dissatisfaction/frustration";
import { negativeFeedback } from "./user-dissatisfaction/negative-feedback";
import { rephrasedRequest } from "./user-dissatisfaction/rephrased-request";

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

export const TASK_FAILURE_DETECTORS: readonly Detector[] = [
  endedByLimit,
  unresolvedRequest,
  unfulfilledPromise,
  prematureClaim,
];

export const PROVIDER_HEALTH_DETECTORS: readonly Detector[] = [
  providerError,
  rateLimited,
  slowResponse,
  costSpike,
  contextOverflow,
];

export const UNSAFE_CONTENT_DETECTORS: readonly Detector[] = [
  promptInjection,
  injectionFollowed,
  jailbreakAttempt,
  secretLeak,
  personalDataLeak,
  systemPromptLeak,
];
export const UNGROUNDED_ANSWER_DETECTORS: readonly Detector[] = [contradictsToolResult, unsupportedClaim];

export const USER_DISSATISFACTION_DETECTORS: readonly Detector[] = [
  frustration,
  negativeFeedback,
  rephrasedRequest,
  escalationRequest,
  abandonment,
];

export const USER_CORRECTION_DETECTORS: readonly Detector[] = [
  explicitCorrection,
  acceptedCorrection,
  ignoredCorrection,
];

export const REFUSAL_DETECTORS: readonly Detector[] = [refusal, partialRefusal, overRefusal];
