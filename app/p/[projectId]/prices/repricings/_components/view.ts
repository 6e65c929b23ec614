import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { endsOf, RANGE_VALUES, type TimeRange } from "@/app/_lib/time-range";

/** The calls to reprice, stored in the URL. */
export const viewParsers = {
  range: parseAsStringLiteral(RANGE_VALUES).withDefault("7d"),
  from: parseAsInteger,
  to: parseAsInteger,
  model: parseAsString,
  only: parseAsBoolean.withDefault(false),
};
export type View = TimeRange & { model: string | null; only: boolean };

export const listInput = (projectId: string) => ({ projectId, limit: 20 });

/** Returns the selected calls; without a start, all until the end. */
export function callsOf(projectId: string, view: View, now: number) {
  const { after, before } = endsOf(view, now);
  return {
    projectId,
    from: after ?? 0,
    to: before ?? now,
    onlyUnpriced: view.only,
    ...(view.model?.trim() ? { model: view.model.trim() } : {}),
  };
}
