import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import type { Neighbour } from "./similar-causes";

/** A Finding as automatic merging sees it. */
type Group = {
  separated: boolean;
  gathersRest: boolean;
  review: "unreviewed" | "confirmed" | "dismissed";
  createdAt: number;
  occurrences: number;
};

/** Occurrences that one transaction moves between Findings. A Finding with more is merged only by hand. */
const MOVED_MAX = 5000;

/** Findings that one transaction joins: which went into which, and how many occurrences that moves. */
export type Joins = {
  /** Returns the Finding that remains of one. */
  lastOf(findingId: string): string;
  /** Adds a Finding that does not exist yet. */
  add(findingId: string, options?: { gathersRest?: boolean }): void;
  has(findingId: string): boolean;
  /**
   * Joins the Findings of similar causes and returns the one that remains, `undefined` if there are none. `postponed`: one of
   * them has too many occurrences for the rest of this transaction.
   */
  join(neighbours: readonly Neighbour[]): { findingId: string | undefined; postponed: boolean };
  /** In the order in which they were decided. */
  merged: ReadonlyMap<string, string>;
};

/** Reads Findings and returns what decides about joining them. */
export async function joinsOf(tx: Ctx, findingIds: readonly string[]): Promise<Joins> {
  const groups = await groupsOf(tx, findingIds);
  const merged = new Map<string, string>();
  let moved = 0;

  function lastOf(findingId: string): string {
    let id = findingId;
    for (let into = merged.get(id); into !== undefined; into = merged.get(id)) id = into;
    return id;
  }

  function join(neighbours: readonly Neighbour[]) {
    const closestFirst = [...neighbours].sort((a, b) => b.similarity - a.similarity || (a.cause < b.cause ? -1 : 1));
    let base = closestFirst[0] && lastOf(closestFirst[0].findingId);
    let postponed = false;
    for (const { findingId } of closestFirst) {
      const other = lastOf(findingId);
      if (base === undefined || other === base) continue;
      const [mine, theirs] = [groups.get(base)!, groups.get(other)!];
      if (!mayMerge(mine, theirs)) continue;
      const [into, from] = outranks(theirs, mine, other, base) ? [other, base] : [base, other];
      const [goes, remains] = [groups.get(from)!, groups.get(into)!];
      if (goes.occurrences > MOVED_MAX) continue;
      if (moved + goes.occurrences > MOVED_MAX) {
        postponed = true;
        continue;
      }
      moved += goes.occurrences;
      merged.set(from, into);
      remains.separated ||= goes.separated;
      remains.occurrences += goes.occurrences;
      base = into;
    }
    return { findingId: base, postponed };
  }

  return {
    lastOf,
    add: (findingId, { gathersRest = false } = {}) =>
      groups.set(findingId, {
        separated: false,
        gathersRest,
        review: "unreviewed",
        createdAt: Number.MAX_SAFE_INTEGER,
        occurrences: 0,
      }),
    has: (findingId) => groups.has(findingId),
    join,
    merged,
  };
}

const mayMerge = (a: Group, b: Group) =>
  !(a.separated && b.separated) &&
  !a.gathersRest &&
  !b.gathersRest &&
  (a.review === "unreviewed" || b.review === "unreviewed" || a.review === b.review);

const RANK = { confirmed: 0, dismissed: 1, unreviewed: 2 };
/** The reviewed Finding remains, else one too large to move, else the older one. */
const outranks = (a: Group, b: Group, idOfA: string, idOfB: string) =>
  (RANK[a.review] - RANK[b.review] ||
    Number(b.occurrences > MOVED_MAX) - Number(a.occurrences > MOVED_MAX) ||
    a.createdAt - b.createdAt ||
    (idOfA < idOfB ? -1 : 1)) < 0;

async function groupsOf(tx: Ctx, ids: readonly string[]): Promise<Map<string, Group>> {
  const rows = await tx.db.execute<{
    id: string;
    separated: boolean;
    gathers_rest: boolean;
    review_status: Group["review"];
    created_at: string;
    occurrence_count: number;
  }>(sql`
    select id, separated, gathers_rest, review_status, created_at, occurrence_count from findings
    where project_id = ${tx.projectId} and id = any(${textArray([...new Set(ids)])})`);
  return new Map(
    [...rows].map((row) => [
      row.id,
      {
        separated: row.separated,
        gathersRest: row.gathers_rest,
        review: row.review_status,
        createdAt: Number(row.created_at),
        occurrences: row.occurrence_count,
      },
    ]),
  );
}
