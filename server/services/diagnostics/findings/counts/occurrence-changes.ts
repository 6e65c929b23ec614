import { DAY_MS } from "@/server/platform/durations";

export const startOfDay = (ms: number) => Math.floor(ms / DAY_MS) * DAY_MS;

type Change = { conversations: number; days: Map<number, number>; causes: Map<string, number> };

/** Net changes of each Finding's counts in a transaction: its conversations, in total, by day and by cause. */
export type OccurrenceChanges = ReadonlyMap<string, Change>;

export type CountedOccurrence = { finding_id: string; detected_at: number | string; cause_ids: readonly string[] };

/** Collects the changes of a transaction. */
export function occurrenceChanges() {
  const changes = new Map<string, Change>();
  const add = (row: CountedOccurrence, sign: 1 | -1) => {
    let change = changes.get(row.finding_id);
    if (!change) {
      change = { conversations: 0, days: new Map(), causes: new Map() };
      changes.set(row.finding_id, change);
    }
    const day = startOfDay(Number(row.detected_at));
    change.conversations += sign;
    change.days.set(day, (change.days.get(day) ?? 0) + sign);
    for (const id of row.cause_ids) change.causes.set(id, (change.causes.get(id) ?? 0) + sign);
  };
  return {
    changes: changes as OccurrenceChanges,
    added: (row: CountedOccurrence) => add(row, 1),
    removed: (row: CountedOccurrence) => add(row, -1),
  };
}
