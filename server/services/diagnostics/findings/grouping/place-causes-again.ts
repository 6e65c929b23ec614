import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { findingCauses } from "@/db/schema";
import { updateOf } from "@/db/sets";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { projectRules } from "../../own-rules/stored-rules";
import { currentCause, standingKey } from "../../rules";
import { recountFindings } from "../counts/recount-findings";
import { lockFindings } from "../record-occurrences";
import { joinsOf } from "./join-findings";
import { mergeJoined } from "./place-causes";
import { isWellKnown, placedCauses, readCause, similarStored } from "./similar-causes";

/** Causes that one transaction places. */
const BATCH = 50;
/** Transactions of one call, so that the job that calls it comes to an end. */
const TRANSACTIONS = 200;
/** Findings with more occurrences are recounted later, by themselves. */
const RECOUNTED_MAX = 1000;

type Row = {
  id: string;
  rule_id: string;
  signal: string;
  cause: string | null;
  pinned: boolean;
  finding_id: string;
};

/**
 * Places stored causes without keys: those of an earlier release, which told causes apart that are one now, and those whose
 * Findings were too large to merge in the transaction that reported them. Findings that turn out to be one are merged, except
 * where people separated or judged them differently, and links to a merged one lead to what took it in. May be interrupted
 * after each transaction. Returns whether some are left.
 */
export async function placeCausesAgain(db: Db, { transactions = TRANSACTIONS } = {}): Promise<{ left: boolean }> {
  for (let done = 0; done < transactions; done++) {
    const [next] = await db.execute<{ project_id: string }>(
      sql`select project_id from finding_causes where keys is null order by project_id limit 1`,
    );
    if (!next) return { left: false };
    const projectId = next.project_id as ProjectId;
    const ctx: Ctx = { db, projectId, actor: { kind: "job", name: "recount-findings" } };
    await inTransaction(ctx, placeBatch);
  }
  return { left: true };
}

async function placeBatch(tx: Ctx) {
  await lockFindings(
    tx,
    (await projectRules(tx)).map(({ id }) => id),
  );
  const rows = await tx.db.execute<Row>(sql`
    select id, rule_id, signal, cause, pinned, finding_id from finding_causes
    where project_id = ${tx.projectId} and keys is null order by id limit ${BATCH}`);
  const read = [...rows].flatMap(({ cause, rule_id, ...row }) =>
    cause === null
      ? []
      : [readCause(tx.projectId, { ...row, ruleId: rule_id, cause: currentCause(row.signal, cause) })],
  );
  const stored = await similarStored(tx, read);
  const own = read.map(({ finding_id }) => finding_id);
  const joins = await joinsOf(tx, [...own, ...[...stored.values()].flat().map(({ findingId }) => findingId)]);
  const hasFirst = await findingsWithFirst(tx, own);
  const earlier = placedCauses();
  const keysOf = new Map<string, readonly string[] | null>();

  for (const cause of read) {
    const known = stored.get(cause.id) ?? [];
    const itself = { findingId: cause.finding_id, cause: cause.cause, similarity: 1 };
    // A cause that a person placed stays; others may come to it.
    const { findingId, postponed } = cause.pinned
      ? { findingId: cause.finding_id, postponed: false }
      : joins.join([itself, ...known, ...earlier.similarTo(cause)]);
    earlier.add(cause, findingId!);
    const first = hasFirst.has(cause.finding_id) ? [] : firstKeys(tx, cause);
    hasFirst.add(cause.finding_id);
    keysOf.set(cause.id, postponed ? null : [...(isWellKnown(known) ? [] : cause.keys), ...first]);
  }

  await mergeJoined(tx, joins, new Set(), () => "backfill");
  const causes = new Map(read.map(({ id, cause }) => [id, cause]));
  const placed = updateOf(
    findingCauses,
    [...rows].map(({ id }) => ({
      id,
      cause: causes.get(id) ?? null,
      keys: keysOf.get(id) === undefined ? [] : keysOf.get(id)!,
    })),
  );
  await tx.db.execute(sql`
    update finding_causes set ${placed.set} from ${placed.rows}
    where finding_causes.project_id = ${tx.projectId} and ${placed.matches}`);
  await recount(tx, [...new Set(own.map(joins.lastOf))]);
}

const firstKeys = (tx: Ctx, { scope, words }: ReturnType<typeof readCause>) =>
  [words.subject, null].map((subject) => standingKey(tx.projectId, scope, subject, "first of a Finding"));

/** Returns which of these Findings have causes that are placed already. */
async function findingsWithFirst(tx: Ctx, findingIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.db.execute<{ id: string }>(sql`
    select id from unnest(${textArray([...new Set(findingIds)])}) as t(id)
    where exists (
      select 1 from finding_causes c
      where c.project_id = ${tx.projectId} and c.finding_id = t.id and c.keys <> '{}')`);
  return new Set([...rows].map(({ id }) => id));
}

/** Recounts Findings, whose titles may have changed. */
async function recount(tx: Ctx, findingIds: readonly string[]) {
  const large = await tx.db.execute<{ id: string }>(sql`
    update findings set recount_due_at = ${NOW}
    where project_id = ${tx.projectId} and id = any(${textArray(findingIds)}) and occurrence_count > ${RECOUNTED_MAX}
    returning id`);
  const later = new Set([...large].map(({ id }) => id));
  await recountFindings(
    tx,
    findingIds.filter((id) => !later.has(id)),
    "backfill",
  );
}
