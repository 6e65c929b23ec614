import { OWN_SIGNAL } from "../own-rules/own-rule";
import { KEYWORD_SIGNAL, RULES } from "../rules";

const NEEDS_TOOLS = "It depends on what tools were asked and what they returned, and a replay calls no tools.";
const SAID_BY_USERS = "Its evidence is what users or tools wrote, which is the same in every replay.";
const OF_THE_PROVIDER = "It measures calls to a provider, which a replay does not make.";
const NEEDS_ADJUDICATOR = "Only the adjudicator can decide it, and a proof uses nothing but the Rule's own detectors.";
const IN_OWN_WORDS =
  "A Rule in your own words is not replayed: its model or evaluators would have to judge every new answer.";

/** Why a Signal cannot be detected in an answer alone; `null` for those that can. */
const WHY_NOT: Readonly<Record<string, string | null>> = {
  empty_response: null,
  truncated_response: null,
  malformed_output: null,
  language_mismatch: null,
  degenerate_repetition: null,
  leaked_template: null,
  refusal: null,
  partial_refusal: null,
  over_refusal: null,
  repeated_message: null,
  secret_leak: null,
  personal_data_leak: null,
  system_prompt_leak: null,
  [KEYWORD_SIGNAL]: null,
  tool_error: NEEDS_TOOLS,
  invalid_tool_arguments: NEEDS_TOOLS,
  unknown_tool: NEEDS_TOOLS,
  tool_error_ignored: NEEDS_TOOLS,
  tool_timeout: NEEDS_TOOLS,
  repeated_tool_call: NEEDS_TOOLS,
  alternating_tool_calls: NEEDS_TOOLS,
  restarted_work: NEEDS_TOOLS,
  ended_by_limit: NEEDS_TOOLS,
  unfulfilled_promise: NEEDS_TOOLS,
  premature_claim: NEEDS_TOOLS,
  injection_followed: NEEDS_TOOLS,
  contradicts_tool_result: NEEDS_TOOLS,
  unresolved_request: SAID_BY_USERS,
  prompt_injection: SAID_BY_USERS,
  jailbreak_attempt: SAID_BY_USERS,
  explicit_correction: SAID_BY_USERS,
  accepted_correction: SAID_BY_USERS,
  ignored_correction: SAID_BY_USERS,
  frustration: SAID_BY_USERS,
  negative_feedback: SAID_BY_USERS,
  rephrased_request: SAID_BY_USERS,
  escalation_request: SAID_BY_USERS,
  abandonment: SAID_BY_USERS,
  provider_error: OF_THE_PROVIDER,
  rate_limited: OF_THE_PROVIDER,
  slow_response: OF_THE_PROVIDER,
  cost_spike: OF_THE_PROVIDER,
  context_overflow: OF_THE_PROVIDER,
  unsupported_claim: NEEDS_ADJUDICATOR,
  [OWN_SIGNAL]: IN_OWN_WORDS,
};

/** Returns why answers cannot be replayed for a Signal; `null` if they can. */
export function whyNotReplayable(ruleId: string, signal: string): string | null {
  if (signal !== OWN_SIGNAL && !RULES.some(({ id }) => id === ruleId)) return "Its Rule is not part of this version.";
  const why = WHY_NOT[signal];
  return why === undefined ? "Its Signal is not part of this version." : why;
}
