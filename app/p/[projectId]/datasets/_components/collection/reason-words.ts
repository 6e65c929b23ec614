/** Why collection takes an answer, as the label of a count. */
const REASONS: Record<string, string> = {
  thumbs_up: "Thumbs-up by the user",
  high_score: "High score",
  accepted_by_user: "Accepted by the user",
  outcome_reached: "Reached its outcome",
  recovered_call: "A failed call was repaired",
  recovered_answer: "A failed answer was repaired",
  corrected_by_feedback: "Corrected by feedback",
  proposed_by_model: "Proposed by a model",
  user_correction_accepted: "The user corrected it and accepted the answer",
  user_correction_unopposed: "The user corrected it and moved on",
  knowledge_goal: "About a Knowledge goal",
};

/** Why collection leaves something out. */
const LEFT: Record<string, string> = {
  no_positive_evidence: "No sign that it went well",
  negative_feedback: "Negative feedback",
  has_finding: "Has a Finding",
  no_finding: "Has no Finding",
  finding_of_user_correction: "The Finding is the user’s correction",
  finding_not_about_an_answer: "The Finding is not about an answer",
  no_better_answer: "No better answer is known",
  model_unavailable: "The connected model could not be asked, or gave no usable reply",
  depends_on_later_messages: "The better answer depends on later messages",
  correction_is_a_remark: "The correction is only a remark",
  no_user_correction: "The user corrected nothing",
  correction_not_complied_with: "The correction was not followed",
  correction_not_accepted: "The user did not accept the corrected answer",
  no_goal: "Not about a Knowledge goal",
  goal_not_answered: "The goal’s question was not answered",
  not_answered_well: "Not answered well",
  not_text: "Not text",
  incomplete_tool_calls: "Tool calls without results",
  no_question: "No question before the answer",
  same_answer: "The better answer is the same",
  too_large: "Too large",
  personal_data: "Held back because of personal data or secrets",
  not_settled: "Still in progress",
  conversation_gone: "Deleted in the meantime",
  already_collected: "Already collected",
  near_duplicate: "Nearly the same as another",
  user_cap: "Enough from the same user",
  finding_cap: "Enough with the same Finding",
};

const words = (code: string) => code.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());

export const reasonWords = (code: string) => REASONS[code] ?? words(code);
export const leftWords = (code: string) => LEFT[code] ?? words(code);
