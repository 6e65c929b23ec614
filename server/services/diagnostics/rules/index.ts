import type { BuiltIn, Rule } from "../types";
import { agentLoop } from "./agent-loop";
import { brokenResponse } from "./broken-response";
import { providerHealth } from "./provider-health";
import { refusal } from "./refusal";
import { RULE_NAMES, type RuleId } from "./schemas";
import { taskFailure } from "./task-failure";
import { toolFailure } from "./tool-failure";
import { ungroundedAnswer } from "./ungrounded-answer";
import { unsafeContent } from "./unsafe-content";
import { userCorrection } from "./user-correction";
import { userDissatisfaction } from "./user-dissatisfaction";

const BUILT_IN: Record<RuleId, BuiltIn> = {
  "tool-failure": toolFailure,
  "agent-loop": agentLoop,
  "user-dissatisfaction": userDissatisfaction,
  "user-correction": userCorrection,
  "broken-response": brokenResponse,
  refusal,
  "provider-health": providerHealth,
  "task-failure": taskFailure,
  "unsafe-content": unsafeContent,
  "ungrounded-answer": ungroundedAnswer,
};

/** The built-in Rules in display order. */
export const RULES: readonly Rule[] = Object.entries(RULE_NAMES).map(([id, name]) => ({
  id,
  name,
  ...BUILT_IN[id as RuleId],
}));

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
  defaultConfiguration,
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
