import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { FINDINGS_PER_SUBJECT, standingKey } from "../../rules";
import type { ReadCause } from "./similar-causes";

/** Findings of one scope, whatever their subjects. */
const PER_SCOPE = 300;

/** Rows read of a key; more than there are Findings, since merged ones have several. */
const READ_MAX = 2000;

/** Where a cause that resembles no other belongs. `keys` mark it as what it is. */
export type Home = {
  findingId: string;
  isNew: boolean;
  keys: readonly string[];
  gathers: { subject: string | null } | null;
};

/**
 * Returns a function that gives each cause without a similar one a Finding: a new one, or, when there are too many of them to
 * be read, the one that gathers the rest of its subject or scope.
 */
export async function homesFor(tx: Ctx, causes: readonly ReadCause[]): Promise<(cause: ReadCause) => Home> {
  const keyOf = ({ scope, words }: ReadCause, whole: boolean, standing: Parameters<typeof standingKey>[3]) =>
    standingKey(tx.projectId, scope, whole ? null : words.subject, standing);
  const wanted = new Set(
    causes.flatMap((cause) =>
      [true, false].flatMap((whole) => [
        keyOf(cause, whole, "first of a Finding"),
        keyOf(cause, whole, "beyond the limit"),
      ]),
    ),
  );
  const rows = await tx.db.execute<{ key: string; findings: number; first: string }>(sql`
    select t.key, count(distinct c.finding_id)::int as findings, min(c.finding_id) as first
    from unnest(${textArray([...wanted])}) as t(key)
    cross join lateral (
      select project_id, finding_id from finding_causes where keys && array[t.key] limit ${READ_MAX}
    ) c
    where c.project_id = ${tx.projectId} group by 1`);
  const known = new Map([...rows].map(({ key, ...row }) => [key, row]));
  const more = new Map<string, number>();
  const gathering = new Map<string, string>();
  const countOf = (key: string) => (known.get(key)?.findings ?? 0) + (more.get(key) ?? 0);

  return (cause) => {
    const [ofSubject, ofScope] = [false, true].map((whole) => keyOf(cause, whole, "first of a Finding")) as [
      string,
      string,
    ];
    const full =
      countOf(ofSubject) >= FINDINGS_PER_SUBJECT ? "subject" : countOf(ofScope) >= PER_SCOPE ? "scope" : null;
    if (full === null) {
      for (const key of [ofSubject, ofScope]) more.set(key, (more.get(key) ?? 0) + 1);
      return { findingId: newId("fnd"), isNew: true, keys: [ofSubject, ofScope], gathers: null };
    }
    const key = keyOf(cause, full === "scope", "beyond the limit");
    const existing = known.get(key)?.first ?? gathering.get(key);
    const findingId = existing ?? newId("fnd");
    gathering.set(key, findingId);
    return {
      findingId,
      isNew: existing === undefined,
      keys: existing === undefined ? [key] : [],
      gathers: { subject: full === "scope" ? null : cause.words.subject },
    };
  };
}
