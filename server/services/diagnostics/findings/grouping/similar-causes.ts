import { sql } from "drizzle-orm";
import { rowsOf } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { type CauseWords, causeKeys, causeScope, causeSimilarity, causeWords } from "../../rules";

/** A cause read for comparison. */
export type ReadCause = {
  id: string;
  ruleId: string;
  signal: string;
  cause: string;
  scope: readonly string[];
  words: CauseWords;
  keys: readonly string[];
};
/** A similar cause, and the Finding that it belongs to. */
export type Neighbour = { findingId: string; cause: string; similarity: number };

/** Stored causes that a new one is compared with. More than that share a rare word only in a project that makes up words. */
const COMPARED_MAX = 1000;
/** From this many similar stored causes on, another one is not compared with later causes: these stand for it. */
const STAND_INS = 50;

export function readCause<T extends { ruleId: string; signal: string; cause: string }>(projectId: string, one: T) {
  const scope = causeScope(one);
  const words = causeWords(one.cause, scope);
  return { ...one, scope, words, keys: causeKeys(projectId, scope, words) };
}

/** Returns whether stored causes are compared with this one's like already, so that its own keys add nothing. */
export const isWellKnown = (neighbours: readonly Neighbour[]) => neighbours.length >= STAND_INS;

/** Returns, for each cause, the stored ones that are similar. The keys' index finds them all. */
export async function similarStored(tx: Ctx, causes: readonly ReadCause[]): Promise<Map<string, Neighbour[]>> {
  const readOf = new Map(causes.map((cause) => [cause.id, cause]));
  const wordsOf = new Map<string, CauseWords>();
  const candidates = await tx.db.execute<{ id: string; finding_id: string; cause: string }>(sql`
    select t.id, c.finding_id, c.cause
    from ${rowsOf(
      causes.map(({ id, keys }) => ({ id, keys })),
      "id text, keys text[]",
    )}
    -- The limit keeps the project's condition out of the inner query: by the keys' index a few rows are read, by the project's
    -- all of its causes. The keys contain the project.
    cross join lateral (
      select project_id, id, finding_id, cause from finding_causes where keys && t.keys limit ${COMPARED_MAX}
    ) c
    where c.project_id = ${tx.projectId} and c.cause is not null and c.id <> t.id`);
  const similar = new Map<string, Neighbour[]>();
  for (const row of candidates) {
    const { words, scope } = readOf.get(row.id)!;
    const key = `${scope.join(" ")} ${row.cause}`;
    const theirs = wordsOf.get(key) ?? causeWords(row.cause, scope);
    wordsOf.set(key, theirs);
    const similarity = causeSimilarity(words, theirs);
    if (similarity === 0) continue;
    const neighbour = { findingId: row.finding_id, cause: row.cause, similarity };
    const list = similar.get(row.id);
    if (list) list.push(neighbour);
    else similar.set(row.id, [neighbour]);
  }
  return similar;
}

/** Collects causes as they are placed, and finds those that are similar to the next one. */
export function placedCauses() {
  type Placed = { findingId: string; cause: string; words: CauseWords };
  const byKey = new Map<string, Placed[]>();
  return {
    add({ cause, words, keys }: ReadCause, findingId: string) {
      for (const key of keys) {
        const list = byKey.get(key);
        if (list) list.push({ findingId, cause, words });
        else byKey.set(key, [{ findingId, cause, words }]);
      }
    },
    similarTo({ words, keys }: ReadCause): Neighbour[] {
      const seen = new Set<string>();
      return keys.flatMap((key) =>
        (byKey.get(key) ?? []).flatMap(({ findingId, cause, words: theirs }) => {
          const similarity = seen.has(cause) ? 0 : causeSimilarity(words, theirs);
          seen.add(cause);
          return similarity === 0 ? [] : [{ findingId, cause, similarity }];
        }),
      );
    },
  };
}
