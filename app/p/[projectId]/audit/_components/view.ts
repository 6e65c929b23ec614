import { createLoader, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { downloadHref } from "@/app/_lib/download-href";
import { endsOf, RANGE_VALUES } from "@/app/_lib/time-range";

/** The page's state, stored in the URL. */
export const viewParsers = {
  action: parseAsString,
  actor: parseAsString,
  target: parseAsString,
  range: parseAsStringLiteral(RANGE_VALUES),
  from: parseAsInteger,
  to: parseAsInteger,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

const PAGE = 100;
/** The server's maximum length of a filter. */
const FILTER_MAX = 200;

const given = (name: string, text: string | null) => (text?.trim() ? { [name]: text.trim().slice(0, FILTER_MAX) } : {});

/** `now` is passed in, so that server and browser send the same query. */
export function filtersOf(view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    ...given("action", view.action),
    ...given("actorId", view.actor),
    ...given("targetId", view.target),
    ...(after !== undefined ? { createdAfter: after } : {}),
    ...(before !== undefined ? { createdBefore: before } : {}),
  };
}
export const listInput = (projectId: string, view: View, now: number) => ({
  projectId,
  limit: PAGE,
  ...filtersOf(view, now),
  ...(view.sort?.by === "when" && !view.sort.descending ? { order: "asc" as const } : {}),
});

/** The URL of the same rows as a file. */
export const csvHref = (projectId: string, view: View, now: number) =>
  downloadHref(projectId, "audit-log.csv", filtersOf(view, now));

export const isFiltered = (view: View) =>
  view.action !== null || view.actor !== null || view.target !== null || view.range !== null;
export const NO_FILTERS = { action: null, actor: null, target: null, range: null, from: null, to: null };

/** The subjects of the log, by the prefix of an action's name. */
const SUBJECTS = [
  { value: "members", label: "Members" },
  { value: "invitations", label: "Accepted invitations" },
  { value: "apiKeys", label: "API keys" },
  { value: "projects", label: "Project" },
  { value: "modelPrices", label: "Prices" },
  { value: "feedback", label: "Feedback" },
  { value: "findings", label: "Findings" },
  { value: "rules", label: "Rules" },
  { value: "ruleRuns", label: "Rule Runs" },
  { value: "diagnosticSettings", label: "Diagnostic settings" },
  { value: "prompts", label: "Prompts" },
  { value: "gatewayAliases", label: "Gateway aliases" },
  { value: "gatewayBudgets", label: "Gateway budgets" },
  { value: "gatewayRecording", label: "Content of the gateway’s calls" },
  { value: "gatewayExperiments", label: "Gateway experiments" },
  { value: "savedViews", label: "Saved views" },
  { value: "shareLinks", label: "Share links" },
  { value: "deletions", label: "User data deletions" },
  { value: "conversations", label: "Conversations" },
  { value: "retention", label: "Retention" },
  { value: "storage", label: "Stored size" },
  { value: "backgroundJobs", label: "Background jobs" },
];

/** Returns the filter's options, including a value that is only in the URL. */
export const subjectsWith = (action: string | null) => [
  { value: "", label: "About anything" },
  ...SUBJECTS,
  ...(action !== null && !SUBJECTS.some(({ value }) => value === action) ? [{ value: action, label: action }] : []),
];
