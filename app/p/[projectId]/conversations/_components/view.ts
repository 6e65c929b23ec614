import {
  createLoader,
  createParser,
  createSerializer,
  parseAsBoolean,
  parseAsFloat,
  parseAsInteger,
  parseAsNativeArrayOf,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { listParsers, sortInput } from "@/app/_components/data-table/list-view";
import { downloadHref } from "@/app/_lib/download-href";
import { endsOf, RANGE_VALUES } from "@/app/_lib/time-range";
import { languageName } from "@/server/platform/language/names";
import { type ListFormat, SEVERAL_MAX } from "@/server/platform/schemas";
import {
  CONVERSATION_TRAITS,
  COST_MAX,
  type ConversationTrait,
  LABEL_CHARACTERS,
  TRAIT_CHARACTERS,
} from "@/server/services/telemetry/schemas";

/** A label or trait has at least one character: `label=` in a URL is not a filter. */
const parseAsLabel = createParser<string>({ parse: (text) => text || null, serialize: (label) => label });

/** The page's state, stored in the URL, so that a copied URL shows the same. */
export const viewParsers = {
  q: parseAsString.withDefault(""),
  model: parseAsNativeArrayOf(parseAsString),
  label: parseAsNativeArrayOf(parseAsLabel),
  provider: parseAsNativeArrayOf(parseAsLabel),
  version: parseAsNativeArrayOf(parseAsLabel),
  tool: parseAsNativeArrayOf(parseAsLabel),
  prompt: parseAsNativeArrayOf(parseAsLabel),
  arm: parseAsNativeArrayOf(parseAsLabel),
  language: parseAsNativeArrayOf(parseAsLabel),
  user: parseAsString,
  hasUser: parseAsBoolean,
  findings: parseAsBoolean,
  finding: parseAsString,
  errors: parseAsBoolean,
  feedback: parseAsBoolean,
  thumbsDown: parseAsBoolean,
  /** US dollars. */
  minCost: parseAsFloat,
  maxCost: parseAsFloat,
  minSeconds: parseAsFloat,
  maxSeconds: parseAsFloat,
  range: parseAsStringLiteral(RANGE_VALUES),
  from: parseAsInteger,
  to: parseAsInteger,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export const serializeView = createSerializer(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** Returns the view as a query string (`?…`), without the open row. */
export const searchOf = (view: View) => serializeView({ ...view, peek: null });

/** Returns the URL of the conversations in which a Finding occurred. */
export const findingHref = (projectId: string, findingId: string) =>
  `/p/${encodeURIComponent(projectId)}/conversations${serializeView({ finding: findingId })}`;

/** Returns the URL of the conversations with a label. */
export const labelHref = (projectId: string, label: string) =>
  `/p/${encodeURIComponent(projectId)}/conversations${serializeView({ label: [label] })}`;

export const PAGE = 100;
/** The server's orders by column. */
const SORTS = {
  started: "started",
  activity: "last_activity",
  turns: "messages",
  tokens: "tokens",
  cost: "cost",
  duration: "duration",
} as const;

/** An end of a range; none, like one that the server would refuse, is left out. */
const bound = <Name extends string>(name: Name, value: number | null, max: number) =>
  value !== null && value >= 0 && value <= max ? ({ [name]: value } as Record<Name, number>) : {};
const milliseconds = (seconds: number | null) => (seconds === null ? null : Math.round(seconds * 1000));

/** Returns the list's query. `now` is passed in, so that server and browser send the same one. */
export function listInput(projectId: string, view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    projectId,
    limit: PAGE,
    ...(view.q.trim() ? { q: view.q.trim().slice(0, 500) } : {}),
    ...(view.model.length > 0 ? { model: view.model.slice(0, SEVERAL_MAX) } : {}),
    ...(view.label.length > 0
      ? { label: view.label.slice(0, SEVERAL_MAX).map((label) => label.slice(0, LABEL_CHARACTERS)) }
      : {}),
    ...Object.fromEntries(
      CONVERSATION_TRAITS.filter((dimension) => view[dimension].length > 0).map((dimension) => [
        dimension,
        view[dimension].slice(0, SEVERAL_MAX).map((value) => value.slice(0, TRAIT_CHARACTERS)),
      ]),
    ),
    ...(view.user !== null ? { userId: view.user } : {}),
    ...(view.hasUser !== null ? { hasUser: view.hasUser } : {}),
    ...(view.findings !== null ? { hasFindings: view.findings } : {}),
    ...(view.finding !== null ? { findingId: view.finding.slice(0, 100) } : {}),
    ...(view.errors !== null ? { hasErrors: view.errors } : {}),
    ...(view.feedback !== null ? { hasFeedback: view.feedback } : {}),
    ...(view.thumbsDown !== null ? { hasThumbsDown: view.thumbsDown } : {}),
    ...bound("minCost", view.minCost, COST_MAX),
    ...bound("maxCost", view.maxCost, COST_MAX),
    ...bound("minDurationMs", milliseconds(view.minSeconds), Number.MAX_SAFE_INTEGER),
    ...bound("maxDurationMs", milliseconds(view.maxSeconds), Number.MAX_SAFE_INTEGER),
    ...(after !== undefined ? { startedAfter: after } : {}),
    ...(before !== undefined ? { startedBefore: before } : {}),
    ...sortInput(view.sort, SORTS),
  };
}

/** Returns the filters of what the list shows, as its histogram, facets and actions take them. */
export function filterInput(projectId: string, view: View, now: number) {
  const { limit: _, sort: __, order: ___, ...filters } = listInput(projectId, view, now);
  return filters;
}

/** Returns the address of all conversations that the list shows as a file, ordered by their start. */
export function fileHref(projectId: string, view: View, now: number, format: ListFormat) {
  const { projectId: _, ...filters } = filterInput(projectId, view, now);
  return downloadHref(projectId, "conversation-export", { ...filters, format });
}

export const NO_FILTERS = {
  q: null,
  model: null,
  label: null,
  provider: null,
  version: null,
  tool: null,
  prompt: null,
  arm: null,
  user: null,
  hasUser: null,
  findings: null,
  finding: null,
  errors: null,
  feedback: null,
  thumbsDown: null,
  minCost: null,
  maxCost: null,
  minSeconds: null,
  maxSeconds: null,
  range: null,
  from: null,
  to: null,
};

/** A filter of the sidebar, and the view without it. */
export type ChosenFilter = { id: string; text: string; without: Partial<View> };

/** What the dimensions are called. */
export const TRAIT_WORDS: Record<ConversationTrait, string> = {
  provider: "Provider",
  version: "Version",
  tool: "Tool",
  prompt: "Prompt",
  arm: "Arm",
  language: "Language",
};

/** Returns a value as people read it: of a language, its name. */
export const traitText = (dimension: string, value: string): string =>
  dimension === "language" ? languageName(value) : value;

/** Whether the client named a user. */
export const HAS_USER = { true: "With a user", false: "No user" } as const;

/** Returns the filters that are active beside the search and the time. */
export function chosenFilters(
  { model, label, user, hasUser, findings, finding, errors, feedback, thumbsDown, ...rest }: View,
  { findingTitle }: { findingTitle?: string | undefined } = {},
): ChosenFilter[] {
  const either = (
    name: "findings" | "errors" | "feedback" | "thumbsDown",
    value: boolean | null,
    what: string,
  ): ChosenFilter[] =>
    value === null ? [] : [{ id: name, text: `${value ? "With" : "Without"} ${what}`, without: { [name]: null } }];
  const each = (name: "model" | "label" | ConversationTrait, values: readonly string[], what: string): ChosenFilter[] =>
    values.map((value) => ({
      id: `${name}:${value}`,
      text: `${what}: ${traitText(name, value)}`,
      without: { [name]: values.filter((other) => other !== value) },
    }));
  return [
    ...either("findings", findings, "Findings"),
    ...(finding === null
      ? []
      : [{ id: "finding", text: `Finding: ${findingTitle ?? finding}`, without: { finding: null } }]),
    ...either("errors", errors, "errors"),
    ...either("feedback", feedback, "feedback"),
    ...either("thumbsDown", thumbsDown, "a thumbs down"),
    ...chosenRange("Cost", "Cost", rest.minCost, rest.maxCost, (dollars) => `$${dollars}`),
    ...chosenRange("Seconds", "Duration", rest.minSeconds, rest.maxSeconds, (seconds) => `${seconds} s`),
    ...each("model", model, "Model"),
    ...each("label", label, "Label"),
    ...CONVERSATION_TRAITS.flatMap((dimension) => each(dimension, rest[dimension], TRAIT_WORDS[dimension])),
    ...(hasUser === null ? [] : [{ id: "hasUser", text: HAS_USER[`${hasUser}`], without: { hasUser: null } }]),
    ...(user === null ? [] : [{ id: "user", text: `User: ${user}`, without: { user: null } }]),
  ];
}

/** Returns the filter by a range, whose ends are the parameters `min…` and `max…`. */
function chosenRange(
  name: "Cost" | "Seconds",
  what: string,
  min: number | null,
  max: number | null,
  inWords: (value: number) => string,
): ChosenFilter[] {
  if (min === null && max === null) return [];
  const ends = [
    ...(min === null ? [] : [`at least ${inWords(min)}`]),
    ...(max === null ? [] : [`at most ${inWords(max)}`]),
  ];
  return [{ id: name, text: `${what}: ${ends.join(", ")}`, without: { [`min${name}`]: null, [`max${name}`]: null } }];
}

export const isFiltered = (view: View) => view.q.trim() !== "" || view.range !== null || chosenFilters(view).length > 0;
