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

/** "Unresolved" to a person is whatever is not resolved: also where nobody said anything yet. */
export const RESOLUTIONS = [
  { value: "unresolved", label: "Unresolved", is: ["unresolved", "none"] },
  { value: "resolved", label: "Resolved", is: ["resolved"] },
] as const;
const [UNRESOLVED, RESOLVED] = RESOLUTIONS;

const every = () => true;
type Tab = {
  value: string;
  label: string;
  /** What the API filters by. */
  input: { reviewStatus?: Finding["reviewStatus"]; resolutionStatus?: readonly ("resolved" | "unresolved" | "none")[] };
  /** Where that is coarser than the tab's meaning: which of those rows belong to it. */
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
/** Whether a tab leaves the resolution open, so that a filter can ask for one. */
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

/** The view as an address has it (`?…`), without the row that is open beside it. */
export const searchOf = (view: View) => serialize({ ...view, peek: null });

export const PAGE = 100;

/** The review and the resolution that a view asks for. */
function statesOf(view: Pick<View, "tab" | "resolution">): Tab["input"] {
  const resolution = takesResolution(view) ? RESOLUTIONS.find(({ value }) => value === view.resolution) : undefined;
  return { ...tabOf(view).input, ...(resolution ? { resolutionStatus: resolution.is } : {}) };
}

/** Whether a Finding is of those that a view asks for, as it stands now: a change can take it out of the list. */
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
