import { isByUser } from "@/server/services/telemetry/schemas";
import { quoteMessage } from "../detectors/reading/evidence";
import { textOf } from "../detectors/reading/text";
import { fails } from "../evaluators/fails";
import { keywordSignals } from "../rules/keywords";
import type { ConversationSnapshot, DetectedSignal, Detector, Evidence, Rule } from "../types";
import type { OwnDefinition, OwnFilter } from "./schemas";

/** The one Signal of every own Rule. */
export const OWN_SIGNAL = "described_problem";
/** Why a Run of an own Rule is skipped for a conversation that is read in windows. */
export const TOO_LONG = "The conversation is too long for a Rule of your own, which reads it whole.";
/** Quotes of the filter's words that a question is centred on. */
const EVIDENCE_MAX = 20;

/** Whether a model has to judge what passes the filter. */
export const isJudged = ({ asks }: OwnDefinition): boolean => asks > 0;
/** What passes the filter of a Rule without questions is what its author defined. */
const DEFINED: Partial<Detector> = { confidence: 1 };
const JUDGED: Partial<Detector> = { needsAdjudicator: true };

/**
 * Returns a Rule whose detector is its filter. What passes is ambiguous, and only the adjudicator can decide it, unless the Rule
 * asks no questions.
 */
export const ownRule = (id: string, version: number, definition: OwnDefinition): Rule => ({
  id,
  version,
  name: definition.name,
  summary: summaryOf(definition),
  own: definition,
  detectors: [
    {
      signal: OWN_SIGNAL,
      severity: definition.severity,
      enabledByDefault: true,
      ...(isJudged(definition) ? JUDGED : DEFINED),
      looksFor: definition.problem,
      detect: (conversation) => candidateIn(conversation, id, definition),
    },
  ],
});

const summaryOf = ({ problem, appliesWhen }: OwnDefinition) =>
  appliesWhen === null ? problem : `${problem} Applies when: ${appliesWhen}`;

/** One cause for the whole Rule: a Finding is the problem that its author described, however it is worded. */
function candidateIn(conversation: ConversationSnapshot, id: string, definition: OwnDefinition): DetectedSignal[] {
  const evidence = passes(definition.filter, conversation);
  if (evidence === null) return [];
  const { name, problem } = definition;
  // What is absent, or said of the whole, is seen at the answer that it ended with.
  if (evidence.length === 0 && !isJudged(definition)) evidence.push(lastAnswer(conversation));
  return [
    {
      name: OWN_SIGNAL,
      score: 1,
      verdict: isJudged(definition) ? "ambiguous" : "match",
      evidence,
      cause: `own rule ${id}`,
      title: name,
      summary: problem,
    },
  ];
}

const lastAnswer = ({ messages }: ConversationSnapshot) =>
  quoteMessage(
    messages,
    messages.findLastIndex(({ role }) => role === "assistant"),
  );

/** Returns the quotes of the filter's words, and of what evaluators fault, in a conversation that passes; `null` if it does not. */
export function passes(filter: OwnFilter, conversation: ConversationSnapshot): Evidence[] | null {
  const { messages } = conversation;
  // A judge says yes to empty answers: without an answer, there is nothing to judge.
  if (!messages.some((one) => one.role === "assistant" && textOf(one).trim() !== "")) return null;
  const called = toolsCalledIn(conversation);
  if (filter.toolsNotCalled.some((tool) => called.has(tool))) return null;
  if (filter.toolsCalled.length > 0 && !filter.toolsCalled.some((tool) => called.has(tool))) return null;
  if (filter.minUserMessages > 0 && messages.filter(isByUser).length < filter.minUserMessages) return null;
  const failed = filter.evaluators.length === 0 ? [] : failedIn(conversation, filter.evaluators);
  const found = filter.words.length === 0 ? [] : keywordSignals(conversation, filter.words);
  if (failed === null || (filter.words.length > 0 && found.length === 0)) return null;
  return [...found.flatMap(({ evidence }) => evidence), ...failed].slice(0, EVIDENCE_MAX);
}

/** Returns quotes of the answers that one of the evaluators faults, or none if it faults the whole; `null` if none does. */
function failedIn({ feedback = [], messages }: ConversationSnapshot, evaluators: OwnFilter["evaluators"]) {
  const failed = feedback.filter((one) =>
    evaluators.some(({ name, failsWhen }) => !one.givenByUser && one.name === name && fails(one, failsWhen)),
  );
  const indices = [...new Set(failed.flatMap(({ messageIndex }) => (messageIndex === null ? [] : [messageIndex])))];
  return failed.length === 0 ? null : indices.map((index) => quoteMessage(messages, index));
}

/** Returns the names of the tools that were called. */
export const toolsCalledIn = ({ messages, toolCalls }: ConversationSnapshot): ReadonlySet<string> =>
  new Set([
    ...messages.flatMap((message) => message.toolCalls.map(({ name }) => name)),
    ...toolCalls.map(({ name }) => name),
  ]);
