import { createLoader, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import { endsOf, RANGE_VALUES, type TimeRange } from "@/app/_lib/time-range";

export const STATUSES = ["queued", "scanning", "processing", "completed", "completed_with_errors", "failed"] as const;

export const DEFAULT_MAXIMUM = 10_000;

/** The list's filters, and the dialog with its fields: `new` is the Rule of a new backfill. */
export const viewParsers = {
  status: parseAsStringLiteral(STATUSES),
  rule: parseAsString,
  new: parseAsString,
  range: parseAsStringLiteral(RANGE_VALUES).withDefault("7d"),
  from: parseAsInteger,
  to: parseAsInteger,
  max: parseAsInteger.withDefault(DEFAULT_MAXIMUM),
  ...listParsers,
};
/** What a saved view consists of: without the dialog. */
export const savedParsers = { status: viewParsers.status, rule: viewParsers.rule, ...listParsers };
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

export const listInput = (projectId: string, view: Pick<View, "status" | "rule">) => ({
  projectId,
  limit: 50,
  ...(view.status !== null ? { scanStatus: view.status } : {}),
  ...(view.rule !== null ? { ruleId: view.rule } : {}),
});

export const isFiltered = (view: View) => view.status !== null || view.rule !== null;
export const NO_FILTERS = { status: null, rule: null };
export const CLOSED = { new: null, range: null, from: null, to: null, max: null };

/** Returns the window of a new backfill; without an end, until `now`. */
export function windowOf(view: TimeRange & { max: number }, now: number) {
  const { after, before } = endsOf(view, now);
  return { startMs: after ?? 0, endMs: before ?? now, maxConversations: view.max };
}
