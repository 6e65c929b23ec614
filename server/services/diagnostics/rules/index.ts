import type { Rule } from "../types";
import { agentLoop } from "./agent-loop";
import { brokenResponse } from "./broken-response";
import { providerHealth } from "./provider-health";
import { refusal } from "./refusal";
import { taskFailure } from "./task-failure";
import { toolFailure } from "./tool-failure";
import { ungroundedAnswer } from "./ungrounded-answer";
import { unsafeContent } from "./unsafe-content";
import { userCorrection } from "./user-correction";
import { userDissatisfaction } from "./user-dissatisfaction";

/** The built-in Rules in display order. */
export const RULES: readonly Rule[] = [
  toolFailure,
  agentLoop,
  userDissatisfaction,
  userCorrection,
  brokenResponse,
  refusal,
  providerHealth,
  taskFailure,
  unsafeContent,
  ungroundedAnswer,
];

export { causeScope, FINDINGS_PER_SUBJECT, gatheringTitle, rulesSharingFindings } from "./causes/cause-scope";
export { fingerprint } from "./causes/fingerprint";
export { currentCause } from "./causes/former-causes";
export { type CauseWords, causeKeys, causeSimilarity, causeWords, standingKey } from "./causes/similar-cause";
export { type Confidence, confidenceOf, measured } from "./confidence";
export { asEvidenceOfLeads, type RankedOccurrence } from "./evidence-of-lead";
export { KEYWORD_SEVERITY, KEYWORD_SIGNAL } from "./keywords";
export {
  type Candidate,
  type Outcome,
  outcomeOf,
  type Readings,
  type RuleOccurrence,
  type RuleResult,
  type RunOptions,
  resultOf,
  runDetectors,
  signalsIn,
  signalsInPart,
} from "./run-rule";
export {
  type AdjudicationMode,
  type ConfigurationPatch,
  configurationPatch,
  DEFAULT_CONFIGURATION,
  type RuleConfiguration,
} from "./schemas";
export { type DiagnosticScoreParts, diagnosticScore, diagnosticScoreOf } from "./score";
export {
  type Interval,
  isEscalating,
  isWorse,
  mayEscalate,
  NOW_DAYS,
  PAST_DAYS,
  type Rate,
  rateDifference,
  wilson,
} from "./trend";
export { patchedConfiguration, ruleConfiguration, signalsOf, validatedConfiguration } from "./validate-configuration";
