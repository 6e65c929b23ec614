import {
  createLoader,
  createSerializer,
  parseAsArrayOf,
  parseAsFloat,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { endsOf, RANGE_VALUES } from "@/app/_lib/time-range";
import type { Finding } from "@/server/services/diagnostics/schemas";

export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;
export const MIN_SCORES = [0.1, 0.25, 0.5, 0.75] as const;
export const RULES = [
  { value: "tool-failure", label: "Tool failure" },
  { value: "agent-loop", label: "Agent loop" },
  { value: "broken-response", label: "Broken response" },
] as const;

/** To a reader, "unresolved" includes Findings whose resolution was never set. */
export const RESOLUTIONS = [
  { value: "unresolved", label: "Unresolved", is: ["unresolved", "none"] },
  { value: "resolved", label: "Resolved", is: ["resolved"] },
] as const;
const [UNRESOLVED, RESOLVED] = RESOLUTIONS;

const every = () => true;
type Tab = {
  value: string;
  label: string;
  /** The API's filters. */
  input: { reviewStatus?: Finding["reviewStatus"]; resolutionStatus?: readonly ("resolved" | "unresolved" | "none")[] };
  /** Which of the returned rows belong to the tab, if the API's filter is coarser. */
  keeps: (finding: Finding) => boolean;
};
export const TABS = [
  {
    value: "review",
    label: "For review",
    input: { reviewStatus: "unreviewed", resolutionStatus: UNRESOLVED.is },
    keeps: every,
  },
  {
    value: "open",
    label: "Open",
    input: { reviewStatus: "confirmed", resolutionStatus: UNRESOLVED.is },
    keeps: every,
  },
  {
    value: "regressed",
    label: "Regressed",
    input: { resolutionStatus: ["unresolved"] },
    keeps: (f) => f.regressedAt !== null && f.reviewStatus !== "dismissed",
  },
  { value: "resolved", label: "Resolved", input: { resolutionStatus: RESOLVED.is }, keeps: every },
  { value: "dismissed", label: "Dismissed", input: { reviewStatus: "dismissed" }, keeps: every },
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
  rule: parseAsString,
  resolution: parseAsStringLiteral(RESOLUTIONS.map(({ value }) => value)),
  range: parseAsStringLiteral(RANGE_VALUES),
  from: parseAsInteger,
  to: parseAsInteger,
  hide: parseAsArrayOf(parseAsString).withDefault([]),
  peek: parseAsString,
};
export const loadView = createLoader(viewParsers);
const serialize = createSerializer(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

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
    (reviewStatus === undefined || finding.reviewStatus === reviewStatus) &&
    (resolutionStatus === undefined || resolutionStatus.includes(finding.resolutionStatus ?? "none")) &&
    tabOf(view).keeps(finding)
  );
}

export function listInput(projectId: string, view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    projectId,
    limit: PAGE,
    ...statesOf(view),
    ...(view.severity !== null ? { severity: view.severity } : {}),
    ...(view.score !== null && view.score >= 0 && view.score <= 1 ? { minDiagnosticScore: view.score } : {}),
    ...(view.rule !== null ? { ruleId: view.rule } : {}),
    ...(after !== undefined ? { lastDetectedAfter: after } : {}),
    ...(before !== undefined ? { lastDetectedBefore: before } : {}),
  };
}

export const isFiltered = (view: View) =>
  view.severity !== null ||
  view.score !== null ||
  view.rule !== null ||
  view.range !== null ||
  (view.resolution !== null && takesResolution(view));
export const NO_FILTERS = {
  severity: null,
  score: null,
  rule: null,
  resolution: null,
  range: null,
  from: null,
  to: null,
};
