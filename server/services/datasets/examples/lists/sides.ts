import { type SQL, sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { askedOf, jaccard, largestGroup, NEAR_COPY } from "../../likeness/groups";
import { likenessKeys, tracesFrom, tracesOf } from "../../likeness/keys";
import { likenessColumns, likenessOf, type StoredLikeness } from "../../likeness/stored-likeness";
import type { Change, Draft, Split } from "../types";

/** Members of a band that a question is compared with: more of them are in one group already, or are not alike. */
const COMPARED = 8;
/** Examples stored before they had keys that get them with one write. */
const FILLED = 2_000;

type Counts = Map<Split, number>;
type Member = { split: Split; words: ReadonlySet<string> };

const counted = (counts: Map<number | string, Counts>, key: number | string, split: Split, count = 1) => {
  const bySplit = counts.get(key) ?? new Map<Split, number>();
  bySplit.set(split, (bySplit.get(split) ?? 0) + count);
  counts.set(key, bySplit);
};

/** Returns the split of most; on a tie, training, where a copy harms no comparison. */
function mostOf(counts: Counts | undefined): Split | null {
  let most: [Split, number] | null = null;
  for (const [split, count] of counts ?? []) {
    if (most === null || count > most[1] || (count === most[1] && split === "train")) most = [split, count];
  }
  return most?.[0] ?? null;
}

/**
 * Knows on which side of the split an Example's copies are, among those of its Dataset and those just added: near copies of its
 * question, equal long answers, and the same user. The last two only while they are few: what a tenth of a Dataset has in common
 * is no sign of a copy.
 */
export class Sides {
  readonly #bands = new Map<number, Member[]>();
  readonly #answers = new Map<number | string, Counts>();
  readonly #users = new Map<number | string, Counts>();
  readonly #datasetId: string;
  #total: number;

  constructor(datasetId: string, total: number) {
    this.#datasetId = datasetId;
    this.#total = total;
  }

  /** Returns the split that an Example's copies have; `null` if it has none. */
  sideOf({ payload, link }: Draft): Split | null {
    const { words, bands, answer } = tracesOf(this.#datasetId, payload);
    const near: Counts = new Map();
    if (words) {
      for (const member of new Set(bands.flatMap((band) => this.#bands.get(band) ?? []))) {
        if (jaccard(member.words, words) >= NEAR_COPY) near.set(member.split, (near.get(member.split) ?? 0) + 1);
      }
    }
    return (
      mostOf(near) ??
      mostOf(this.#few(answer === null ? undefined : this.#answers.get(answer))) ??
      mostOf(this.#few(link?.userId == null ? undefined : this.#users.get(link.userId)))
    );
  }

  /** Adds a new Example, which later ones follow. */
  add({ payload, link }: Draft, split: Split): void {
    const { words, bands, answer } = tracesOf(this.#datasetId, payload);
    this.#total += 1;
    if (words) this.#compare(bands, { split, words });
    if (answer !== null) counted(this.#answers, answer, split);
    if (link?.userId != null) counted(this.#users, link.userId, split);
  }

  #few(counts: Counts | undefined): Counts | undefined {
    const all = [...(counts?.values() ?? [])].reduce((sum, count) => sum + count, 0);
    return all < largestGroup(this.#total) ? counts : undefined;
  }

  #compare(bands: readonly number[], member: Member) {
    for (const band of bands) {
      const alike = this.#bands.get(band) ?? [];
      if (alike.length < COMPARED) this.#bands.set(band, [...alike, member]);
    }
  }

  /** Reads what is like the Examples that these changes create without a given split. */
  static async read(tx: Ctx, datasetId: string, total: number, changes: readonly Change[]): Promise<Sides> {
    const sides = new Sides(datasetId, total);
    const drafts = changes.flatMap((change) => (change.kind === "create" && !change.draft.split ? [change.draft] : []));
    if (drafts.length === 0 || total === 0) return sides;
    await fillKeys(tx, datasetId);
    const traces = drafts.map(({ payload }) => tracesOf(datasetId, payload));
    const bands = new Set(traces.flatMap((one) => one.bands));
    const answers = new Set(traces.flatMap(({ answer }) => answer ?? []));
    await sides.#readUsers(
      tx,
      drafts.flatMap(({ link }) => link?.userId ?? []),
    );
    for (const { key, split, count } of await countsOf(tx, datasetId, answers)) {
      counted(sides.#answers, Number(key), split, count);
    }
    const alike = await tx.db.execute<{ key: string; example_id: string; split: Split }>(sql`
      select k.key, r.example_id, r.split from ${keysIn(bands)} cross join lateral (
        select example_id, split from (${withKey(sql`k.key`)}) found where ${currentOf(tx, datasetId)} limit ${COMPARED}
      ) r`);
    const compared = new Map<number, string[]>();
    const splits = new Map<string, Split>();
    for (const { key, example_id, split } of alike) {
      compared.set(Number(key), [...(compared.get(Number(key)) ?? []), example_id]);
      splits.set(example_id, split);
    }
    const words = await wordsOfStored(tx, datasetId, [...splits.keys()]);
    for (const [band, ids] of compared) {
      for (const id of ids) {
        const known = words.get(id);
        if (known) sides.#compare([band], { split: splits.get(id) as Split, words: known });
      }
    }
    return sides;
  }

  async #readUsers({ db, projectId }: Ctx, userIds: readonly string[]) {
    if (userIds.length === 0) return;
    const rows = await db.execute<{ user_id: string; split: Split; count: number }>(sql`
      select user_id, split, count(*)::int as count from example_revisions
      where ${currentOf({ projectId }, this.#datasetId)} and user_id = any(${textArray([...new Set(userIds)])})
      group by user_id, split`);
    for (const { user_id, split, count } of rows) counted(this.#users, user_id, split, count);
  }
}

const currentOf = ({ projectId }: Pick<Ctx, "projectId">, datasetId: string) =>
  sql`project_id = ${projectId} and dataset_id = ${datasetId} and to_version is null`;

const keysIn = (keys: ReadonlySet<number>) => sql`unnest(${`{${[...keys].join(",")}}`}::bigint[]) as k(key)`;

/**
 * Returns a query of the current rows with a key, by nothing but the index of keys, which are the Dataset's own: without statistics
 * on what an import has just written, the planner would read the whole Dataset for each key.
 */
const withKey = (key: SQL) => sql`
  select project_id, dataset_id, example_id, split, to_version from example_revisions
  where likeness @> array[${key}] and to_version is null offset 0`;

/** Counts the Examples with each of these keys by split. */
const countsOf = (tx: Ctx, datasetId: string, keys: ReadonlySet<number>) =>
  tx.db.execute<{ key: string; split: Split; count: number }>(sql`
    select k.key, r.split, r.count from ${keysIn(keys)} cross join lateral (
      select split, count(*)::int as count from (${withKey(sql`k.key`)}) found where ${currentOf(tx, datasetId)} group by split
    ) r`);

type Stored = StoredLikeness & { example_id: string };

const storedIn = (tx: Ctx, datasetId: string, which: SQL) =>
  tx.db.execute<Stored>(sql`
    select e.example_id, ${likenessColumns(sql`e`)} from example_revisions e
    where ${currentOf(tx, datasetId)} and ${which}`);

async function wordsOfStored(tx: Ctx, datasetId: string, ids: readonly string[]) {
  const found = new Map<string, ReadonlySet<string>>();
  if (ids.length === 0) return found;
  for (const row of await storedIn(tx, datasetId, sql`example_id = any(${textArray(ids)})`)) {
    const words = askedOf(likenessOf(row));
    if (words) found.set(row.example_id, words);
  }
  return found;
}

/** Gives keys to some of the Examples that were stored before there were any. */
async function fillKeys(tx: Ctx, datasetId: string): Promise<void> {
  const rows = await storedIn(tx, datasetId, sql`likeness is null limit ${FILLED}`);
  if (rows.length === 0) return;
  const filled = [...rows].map((row) => ({
    example_id: row.example_id,
    likeness: likenessKeys(tracesFrom(datasetId, likenessOf(row))),
  }));
  await tx.db.execute(sql`
    update example_revisions r set likeness = t.likeness from ${rowsOf(filled, "example_id text, likeness bigint[]")}
    where r.project_id = ${tx.projectId} and r.dataset_id = ${datasetId} and r.to_version is null
      and r.example_id = t.example_id`);
}
