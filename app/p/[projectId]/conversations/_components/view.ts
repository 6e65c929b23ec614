import {
  createLoader,
  createParser,
  createSerializer,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { endsOf, RANGE_VALUES } from "@/app/_lib/time-range";
import { LABEL_CHARACTERS } from "@/server/services/telemetry/schemas";

/** A label has at least one character: `label=` in an address asks for none. */
const parseAsLabel = createParser<string>({ parse: (text) => text || null, serialize: (label) => label });

/** Everything this page shows, as the address has it: whoever copies the address sees the same. */
export const viewParsers = {
  q: parseAsString.withDefault(""),
  model: parseAsString,
  label: parseAsLabel,
  user: parseAsString,
  findings: parseAsBoolean,
  errors: parseAsBoolean,
  range: parseAsStringLiteral(RANGE_VALUES),
  from: parseAsInteger,
  to: parseAsInteger,
  hide: parseAsArrayOf(parseAsString).withDefault([]),
  peek: parseAsString,
};
export const loadView = createLoader(viewParsers);
const serialize = createSerializer(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** The view as an address has it (`?…`), without the row that is open beside it. */
export const searchOf = (view: View) => serialize({ ...view, peek: null });

/** Where the conversations with a label are. */
export const labelHref = (projectId: string, label: string) =>
  `/p/${encodeURIComponent(projectId)}/conversations${serialize({ label })}`;

export const PAGE = 100;

/** What the list is asked for. `now` is passed in, so that server and browser ask the same. */
export function listInput(projectId: string, view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    projectId,
    limit: PAGE,
    ...(view.q.trim() ? { q: view.q.trim().slice(0, 500) } : {}),
    ...(view.model !== null ? { model: view.model } : {}),
    ...(view.label !== null ? { label: view.label.slice(0, LABEL_CHARACTERS) } : {}),
    ...(view.user !== null ? { userId: view.user } : {}),
    ...(view.findings !== null ? { hasFindings: view.findings } : {}),
    ...(view.errors !== null ? { hasErrors: view.errors } : {}),
    ...(after !== undefined ? { startedAfter: after } : {}),
    ...(before !== undefined ? { startedBefore: before } : {}),
  };
}

export function facetsInput(projectId: string, view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    projectId,
    ...(after !== undefined ? { startedAfter: after } : {}),
    ...(before !== undefined ? { startedBefore: before } : {}),
  };
}

export const NO_FILTERS = {
  q: null,
  model: null,
  label: null,
  user: null,
  findings: null,
  errors: null,
  range: null,
  from: null,
  to: null,
};

/** How many of the filters beside the list narrow it: on a phone they are behind a button. */
export const facetsChosen = ({ model, label, user, findings, errors }: View) =>
  [model, label, user, findings, errors].filter((value) => value !== null).length;

export const isFiltered = (view: View) => view.q.trim() !== "" || view.range !== null || facetsChosen(view) > 0;
