import type { Rule } from "../types";
import { agentLoop } from "./agent-loop";
import { brokenResponse } from "./broken-response";
import { toolFailure } from "./tool-failure";

/** The built-in Rules in display order. */
export const RULES: readonly Rule[] = [toolFailure, agentLoop, brokenResponse];

export { type Confidence, confidenceOf, measured } from "./confidence";
export { fingerprint } from "./fingerprint";
export { KEYWORD_SEVERITY, KEYWORD_SIGNAL } from "./keywords";
export {
  type Candidate,
  type RuleOccurrence,
  type RuleResult,
  type RunOptions,
  runDetectors,
} from "./run-rule";
export { type DiagnosticScoreParts, diagnosticScore } from "./score";
export { closestCause, sameCause } from "./similar-cause";
export {
  type AdjudicationMode,
  configurationPatch,
  DEFAULT_CONFIGURATION,
  patchedConfiguration,
  type RuleConfiguration,
  ruleConfiguration,
} from "./validate-configuration";
