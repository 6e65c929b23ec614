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

/**
 * A tab is what the API can filter by (`input`) and, where that is coarser than the tab's meaning, which of those rows
 * belong to it (`keeps`).
 */
export const TABS = [
  {
    value: "review",
    label: "For review",
    input: { reviewStatus: "unreviewed" },
    keeps: (f: Finding) => f.resolutionStatus !== "resolved",
  },
  {
    value: "open",
    label: "Open",
    input: { reviewStatus: "confirmed" },
    keeps: (f: Finding) => f.resolutionStatus !== "resolved",
  },
  {
    value: "regressed",
    label: "Regressed",
    input: { resolutionStatus: "unresolved" },
    keeps: (f: Finding) => f.regressedAt !== null,
  },
  { value: "resolved", label: "Resolved", input: { resolutionStatus: "resolved" }, keeps: () => true },
  { value: "dismissed", label: "Dismissed", input: { reviewStatus: "dismissed" }, keeps: () => true },
  { value: "all", label: "All", input: {}, keeps: () => true },
] as const;
export const TAB_VALUES = TABS.map((tab) => tab.value);
export const tabOf = (view: Pick<View, "tab">) => TABS.find((tab) => tab.value === view.tab) ?? TABS[0];

export const viewParsers = {
  tab: parseAsStringLiteral(TAB_VALUES).withDefault("review"),
  severity: parseAsStringLiteral(SEVERITIES),
  score: parseAsFloat,
  rule: parseAsString,
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

export function listInput(projectId: string, view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    projectId,
    limit: PAGE,
    ...tabOf(view).input,
    ...(view.severity !== null ? { severity: view.severity } : {}),
    ...(view.score !== null && view.score >= 0 && view.score <= 1 ? { minDiagnosticScore: view.score } : {}),
    ...(view.rule !== null ? { ruleId: view.rule } : {}),
    ...(after !== undefined ? { lastDetectedAfter: after } : {}),
    ...(before !== undefined ? { lastDetectedBefore: before } : {}),
  };
}

export const isFiltered = (view: View) =>
  view.severity !== null || view.score !== null || view.rule !== null || view.range !== null;
export const NO_FILTERS = { severity: null, score: null, rule: null, range: null, from: null, to: null };
