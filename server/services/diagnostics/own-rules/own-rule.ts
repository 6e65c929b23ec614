import { isByUser } from "@/server/services/telemetry/schemas";
import { textOf } from "../detectors/reading/text";
import { keywordSignals } from "../rules/keywords";
import type { ConversationSnapshot, DetectedSignal, Evidence, Rule } from "../types";
import type { OwnDefinition, OwnFilter } from "./schemas";

/** The one Signal of every own Rule. */
export const OWN_SIGNAL = "described_problem";
/** Why a Run of an own Rule is skipped for a conversation that is read in windows. */
export const TOO_LONG = "The conversation is too long for a model to judge it by a Rule in your own words.";
/** Quotes of the filter's words that a question is centred on. */
const EVIDENCE_MAX = 20;

/** Returns a Rule whose detector is its filter: what passes is ambiguous, and only the adjudicator can decide it. */
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
      needsAdjudicator: true,
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
  return [
    {
      name: OWN_SIGNAL,
      score: 1,
      verdict: "ambiguous",
      evidence,
      cause: `own rule ${id}`,
      title: name,
      summary: problem,
    },
  ];
}

/** Returns the quotes of the filter's words in a conversation that passes; `null` if it does not. */
export function passes(filter: OwnFilter, conversation: ConversationSnapshot): Evidence[] | null {
  const { messages } = conversation;
  // A judge says yes to empty answers: without an answer, there is nothing to judge.
  if (!messages.some((one) => one.role === "assistant" && textOf(one).trim() !== "")) return null;
  const called = toolsCalledIn(conversation);
  if (filter.toolsNotCalled.some((tool) => called.has(tool))) return null;
  if (filter.toolsCalled.length > 0 && !filter.toolsCalled.some((tool) => called.has(tool))) return null;
  if (filter.minUserMessages > 0 && messages.filter(isByUser).length < filter.minUserMessages) return null;
  if (filter.words.length === 0) return [];
  const found = keywordSignals(conversation, filter.words).flatMap(({ evidence }) => evidence);
  return found.length === 0 ? null : found.slice(0, EVIDENCE_MAX);
}

/** Returns the names of the tools that were called. */
export const toolsCalledIn = ({ messages, toolCalls }: ConversationSnapshot): ReadonlySet<string> =>
  new Set([
    ...messages.flatMap((message) => message.toolCalls.map(({ name }) => name)),
    ...toolCalls.map(({ name }) => name),
  ]);
