import {
  createLoader,
  createSerializer,
  parseAsFloat,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { downloadHref } from "@/app/_lib/download-href";
import { endsOf, RANGE_VALUES } from "@/app/_lib/time-range";
import { SEVERITIES } from "@/app/p/[projectId]/_components/findings/severity-words";
import type { ListFormat } from "@/server/platform/schemas";
import { FINDING_ALERTS, FINDING_QUEUES, type FindingAlert } from "@/server/services/diagnostics/findings/schemas";
import type { Finding } from "@/server/services/diagnostics/schemas";

export const MIN_SCORES = [0.1, 0.25, 0.5, 0.75] as const;

/** To a reader, "unresolved" includes Findings whose resolution was never set. */
export const RESOLUTIONS = [
  { value: "unresolved", label: "Unresolved", is: ["unresolved", "none"] },
  { value: "resolved", label: "Resolved", is: ["resolved"] },
] as const;
const [UNRESOLVED, RESOLVED] = RESOLUTIONS;

/** The orders that the server knows, each descending. */
export const ORDERS = [
  { value: "score", label: "Score" },
  { value: "newest", label: "Last seen" },
  { value: "conversations", label: "Conversations" },
  { value: "first_seen", label: "First seen" },
] as const;

const every = () => true;
type Tab = {
  value: string;
  label: string;
  /** The API's filters. */
  input: {
    reviewStatus?: readonly Finding["reviewStatus"][];
    resolutionStatus?: readonly ("resolved" | "unresolved" | "none")[];
    trend?: "regressed" | "escalating";
  };
  /** Whether a row belongs to the tab by criteria other than review and resolution. */
  keeps: (finding: Finding) => boolean;
};
export const TABS = [
  {
    value: "review",
    label: "For review",
    input: FINDING_QUEUES.review,
    keeps: every,
  },
  {
    value: "open",
    label: "Open",
    input: { reviewStatus: ["confirmed"], resolutionStatus: UNRESOLVED.is },
    keeps: every,
  },
  {
    value: "regressed",
    label: "Regressed",
    input: FINDING_QUEUES.regressed,
    keeps: (f) => f.regressedAt !== null,
  },
  {
    value: "escalating",
    label: "Escalating",
    input: FINDING_QUEUES.escalating,
    keeps: (f) => f.escalatingSince !== null,
  },
  { value: "resolved", label: "Resolved", input: { resolutionStatus: RESOLVED.is }, keeps: every },
  { value: "dismissed", label: "Dismissed", input: { reviewStatus: ["dismissed"] }, keeps: every },
  { value: "all", label: "All", input: {}, keeps: every },
] as const satisfies readonly Tab[];
export const TAB_VALUES = TABS.map((tab) => tab.value);
export const tabOf = (view: Pick<View, "tab">) => TABS.find((tab) => tab.value === view.tab) ?? TABS[0];
/** Returns whether the resolution can be filtered in a tab. */
export const takesResolution = (view: Pick<View, "tab">) => !("resolutionStatus" in tabOf(view).input);

export const viewParsers = {
  tab: parseAsStringLiteral(TAB_VALUES).withDefault("review"),
  severity: parseAsStringLiteral(SEVERITIES),
  score: parseAsFloat,
  order: parseAsStringLiteral(ORDERS.map(({ value }) => value)).withDefault("score"),
  assignee: parseAsStringLiteral(["me", "none"] as const),
  q: parseAsString,
  rule: parseAsString,
  resolution: parseAsStringLiteral(RESOLUTIONS.map(({ value }) => value)),
  range: parseAsStringLiteral(RANGE_VALUES),
  from: parseAsInteger,
  to: parseAsInteger,
  event: parseAsStringLiteral(FINDING_ALERTS),
  since: parseAsInteger,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
const serialize = createSerializer(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** Returns the URL of all Findings with an event since a time. */
export const eventHref = (projectId: string, event: FindingAlert, since: number) =>
  `/p/${encodeURIComponent(projectId)}/findings${serialize({ tab: "all", event, since })}`;

/** Returns the view as a query string (`?…`), without the open row. */
export const searchOf = (view: View) => serialize({ ...view, peek: null });

export const PAGE = 100;

/** Returns the review and resolution filters of a view. */
function statesOf(view: Pick<View, "tab" | "resolution">): Tab["input"] {
  const resolution = takesResolution(view) ? RESOLUTIONS.find(({ value }) => value === view.resolution) : undefined;
  return { ...tabOf(view).input, ...(resolution ? { resolutionStatus: resolution.is } : {}) };
}

/** Returns whether a Finding matches a view in its current state: a change can remove it from the list. */
export function keeps(view: Pick<View, "tab" | "resolution">, finding: Finding): boolean {
  const { reviewStatus, resolutionStatus } = statesOf(view);
  return (
    (reviewStatus === undefined || reviewStatus.includes(finding.reviewStatus)) &&
    (resolutionStatus === undefined || resolutionStatus.includes(finding.resolutionStatus ?? "none")) &&
    tabOf(view).keeps(finding)
  );
}

/** Returns the filters of a view. */
function filtersOf(projectId: string, view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    projectId,
    ...statesOf(view),
    ...(view.severity !== null ? { severity: view.severity } : {}),
    ...(view.score !== null && view.score >= 0 && view.score <= 1 ? { minDiagnosticScore: view.score } : {}),
    ...(view.rule !== null ? { ruleId: view.rule } : {}),
    ...(view.assignee !== null ? { assignee: view.assignee } : {}),
    ...(view.q?.trim() ? { q: view.q.trim().slice(0, 200) } : {}),
    ...(after !== undefined ? { lastDetectedAfter: after } : {}),
    ...(before !== undefined ? { lastDetectedBefore: before } : {}),
    ...(view.event !== null ? { event: view.event } : {}),
    ...(view.since !== null && view.since >= 0 ? { eventAfter: view.since } : {}),
  };
}

export const listInput = (projectId: string, view: View, now: number) => ({
  ...filtersOf(projectId, view, now),
  limit: PAGE,
  ...(view.order !== "newest" ? { sort: view.order } : {}),
});

/** Returns the address of all Findings that the list shows, in its order, as a file. */
export function fileHref(projectId: string, view: View, now: number, format: ListFormat) {
  const { projectId: _, limit: __, ...input } = listInput(projectId, view, now);
  return downloadHref(projectId, "diagnostics/finding-export", { ...input, format });
}

/** What a tab would list under the other filters. */
export const countInput = (projectId: string, view: View, tab: View["tab"], now: number) =>
  filtersOf(projectId, { ...view, tab }, now);

export const isFiltered = (view: View) =>
  view.severity !== null ||
  view.score !== null ||
  view.rule !== null ||
  view.assignee !== null ||
  view.q !== null ||
  view.range !== null ||
  view.event !== null ||
  view.since !== null ||
  (view.resolution !== null && takesResolution(view));
export const NO_FILTERS = {
  severity: null,
  score: null,
  rule: null,
  assignee: null,
  q: null,
  resolution: null,
  range: null,
  from: null,
  to: null,
  event: null,
  since: null,
};
