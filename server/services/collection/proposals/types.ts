import type { COLLECTION_OBJECTIVES, EXAMPLE_SOURCE_KINDS, REVIEW_STATUSES } from "@/db/schema/enumerations";
import type { ChatMessage, ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import type { SnapshotFeedback } from "@/server/services/telemetry/feedback/schemas";

export type Objective = (typeof COLLECTION_OBJECTIVES)[number];

/** A Finding's occurrence in the conversation. */
export type CollectedOccurrence = {
  findingId: string;
  rule: string;
  signal: string;
  /** What the Finding says, in one sentence; it is passed to a connected model. */
  title: string;
  /** Indexes of the messages that are its evidence. */
  turns: readonly number[];
  /** The Finding's review status. */
  reviewStatus: (typeof REVIEW_STATUSES)[number];
};

export type Goal = {
  id: string;
  title: string;
  /** What the model should know. */
  description: string;
  keyPhrases: readonly string[];
};

/** What is known about a conversation besides its messages. */
export type CollectionEvidence = {
  occurrences: readonly CollectedOccurrence[];
  feedback: readonly SnapshotFeedback[];
  /** Knowledge goals that may match; each is compared again with each answer. */
  goals: readonly Goal[];
  /** The conversation continues beyond these messages, further than an Example reaches. */
  isCut?: boolean;
};

export type MaskingMode = "mask" | "hold_back";

export type CollectionSettings = {
  objective: Objective;
  filters?: { knowledgeGoalIds?: readonly string[] | undefined } | null | undefined;
  masking: MaskingMode;
  /** Whether a user who goes on without objecting counts as accepting a corrected answer. */
  acceptsSilence?: boolean | undefined;
};

/** A request to a connected model: for a better answer to `messages` than the failed one. */
export type ProposeRequest = {
  conversationId: string;
  messages: readonly ChatMessage[];
  failedAnswer: string;
  problem: string;
};
/**
 * A better answer, or why there is none. `model_unavailable`: the model could not be called, or its reply could not be read.
 */
export type ModelAnswer = { answer: string } | { left: "no_better_answer" | "model_unavailable" };
export type Propose = (request: ProposeRequest) => Promise<ModelAnswer>;

export type ReasonCode =
  | "thumbs_up"
  | "high_score"
  | "accepted_by_user"
  | "recovered_call"
  | "recovered_answer"
  | "corrected_by_feedback"
  | "proposed_by_model"
  | "user_correction_accepted"
  | "user_correction_unopposed"
  | "knowledge_goal";

export type LeftCode =
  | "no_positive_evidence"
  | "negative_feedback"
  | "has_finding"
  | "no_finding"
  | "finding_of_user_correction"
  | "finding_not_about_an_answer"
  | "no_better_answer"
  | "model_unavailable"
  | "depends_on_later_messages"
  | "correction_is_a_remark"
  | "no_user_correction"
  | "correction_not_complied_with"
  | "correction_not_accepted"
  | "no_goal"
  | "goal_not_answered"
  | "not_answered_well"
  | "not_text"
  | "incomplete_tool_calls"
  | "no_question"
  | "same_answer"
  | "too_large"
  | "personal_data";

/** A proposed Example, before the caps apply. */
export type Proposal = {
  objective: Objective;
  /** Why it is proposed, as a sentence for people. */
  reason: string;
  reasonCode: ReasonCode;
  /** Index of the message in question: the answer that worked, or the one that failed. With the objective it identifies the source. */
  turn: number;
  /** Index of the message used as the expected answer; `null` if a person or a model wrote it. */
  answerTurn: number | null;
  payload: ChatPayload;
  source: Exclude<(typeof EXAMPLE_SOURCE_KINDS)[number], "manual" | "import">;
  findingId: string | null;
  knowledgeGoalId: string | null;
  proposedByModel: boolean;
  /** Number of occurrences of personal data or secrets that were masked. */
  masked: number;
};

/** How often each reason left something out. */
export type LeftOut = Partial<Record<LeftCode, number>>;
export type Proposed = { proposals: Proposal[]; left: LeftOut };
