import { createLoader, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { endsOf, RANGE_VALUES } from "@/app/_lib/time-range";

/** Everything this page shows, as the address has it. */
export const viewParsers = {
  action: parseAsString,
  actor: parseAsString,
  target: parseAsString,
  range: parseAsStringLiteral(RANGE_VALUES),
  from: parseAsInteger,
  to: parseAsInteger,
  open: parseAsString,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** `now` is passed in, so that server and browser ask the same. */
export function filtersOf(view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    ...(view.action ? { action: view.action } : {}),
    ...(view.actor ? { actorId: view.actor } : {}),
    ...(view.target?.trim() ? { targetId: view.target.trim().slice(0, 200) } : {}),
    ...(after !== undefined ? { createdAfter: after } : {}),
    ...(before !== undefined ? { createdBefore: before } : {}),
  };
}

export const isFiltered = (view: View) =>
  view.action !== null || view.actor !== null || view.target !== null || view.range !== null;
export const NO_FILTERS = { action: null, actor: null, target: null, range: null, from: null, to: null };

/** The subjects whose changes the log has, by the beginning of an action's name. */
export const SUBJECTS = [
  { value: "members", label: "Members" },
  { value: "invitations", label: "Accepted invitations" },
  { value: "apiKeys", label: "API keys" },
  { value: "projects", label: "Project" },
  { value: "findings", label: "Findings" },
  { value: "rules", label: "Rules" },
  { value: "ruleRuns", label: "Rule Runs" },
  { value: "diagnosticSettings", label: "Diagnostic settings" },
  { value: "deletions", label: "Deletions of a user" },
  { value: "conversations", label: "Conversations" },
  { value: "retention", label: "Retention" },
];
