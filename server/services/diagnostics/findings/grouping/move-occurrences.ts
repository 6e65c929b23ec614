import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { occurrences } from "@/db/schema";
import { insertOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { type CausePart, composeOccurrence, partsOf, type StoredOccurrence } from "./occurrence-parts";

/** Occurrences with several causes are read and recomposed, this many at a time. */
const BATCH = 500;
/** Others are moved unchanged, this many per statement. */
const WHOLE_BATCH = 20_000;

type Stored = StoredOccurrence & { id: string; conversation_id: string; placed: boolean };

/**
 * Moves the occurrences of these causes (of all, if none are given) from one Finding to another. In a conversation that has
 * both, they become one with the evidence of both; one whose other causes stay is divided. Counts are left to the caller.
 */
export async function moveOccurrences(
  tx: Ctx,
  { from, to, causeIds }: { from: string; to: string; causeIds?: readonly string[] },
) {
  await moveWhole(tx, from, to, causeIds);
  for (;;) {
    const rows = await tx.db.execute<Stored & { there: Stored | null }>(sql`
      select o.*, to_jsonb(p) as there from occurrences o
      left join occurrences p on p.project_id = o.project_id and p.finding_id = ${to} and p.conversation_id = o.conversation_id
      where o.project_id = ${tx.projectId} and o.finding_id = ${from}
        and ${causeIds === undefined ? sql`true` : sql`o.cause_ids && ${textArray(causeIds)}`}
      order by o.conversation_id limit ${BATCH}`);
    if (rows.length === 0) return;
    await divide(tx, [...rows], from, to, causeIds);
  }
}

/**
 * Moves the occurrences that are neither divided nor joined with another. In batches, so that no statement for a large
 * Finding reaches the time limit on statements of a request.
 */
async function moveWhole(tx: Ctx, from: string, to: string, causeIds: readonly string[] | undefined) {
  let after: string | null = "";
  while (after !== null) {
    const [next]: { upTo: string | null }[] = await tx.db.execute<{ upTo: string | null }>(sql`
      with next as materialized (
        select id, conversation_id from occurrences
        where project_id = ${tx.projectId} and finding_id = ${from} and conversation_id > ${after}
        order by conversation_id limit ${WHOLE_BATCH}
      ), moved as (
        update occurrences o set finding_id = ${to} from next
        where o.project_id = ${tx.projectId} and o.id = next.id
          and ${causeIds === undefined ? sql`true` : sql`o.cause_ids <@ ${textArray(causeIds)}`}
          and not exists (
            select 1 from occurrences p
            where p.project_id = o.project_id and p.finding_id = ${to} and p.conversation_id = o.conversation_id)
      )
      select max(conversation_id) as "upTo" from next having count(*) = ${WHOLE_BATCH}`);
    after = next?.upTo ?? null;
  }
}

async function divide(
  tx: Ctx,
  rows: readonly (Stored & { there: Stored | null })[],
  from: string,
  to: string,
  causeIds: readonly string[] | undefined,
) {
  const moves = new Set(causeIds);
  const written: ReturnType<typeof rowOf>[] = [];
  const emptied: string[] = [];
  for (const { there, ...row } of rows) {
    const parts = partsOf(row);
    const moving = causeIds === undefined ? parts : parts.filter(({ causeId }) => moves.has(causeId));
    const staying = parts.filter((part) => !moving.includes(part));
    const own = there === null ? [] : partsOf(there);
    const joined = [...own, ...moving.filter((part) => !own.some(({ causeId }) => causeId === part.causeId))];
    written.push(rowOf(there ?? { ...row, id: newId("occ") }, to, joined));
    if (staying.length === 0) emptied.push(row.id);
    else written.push(rowOf(row, from, staying));
  }
  await tx.db.execute(
    sql`delete from occurrences where project_id = ${tx.projectId} and id = any(${textArray(emptied)})`,
  );
  await tx.db.execute(
    insertOf(occurrences, {
      same: { project_id: tx.projectId, updated_at: NOW },
      rows: written,
      left: ["created_at"],
      onConflict: { keep: ["placed"] },
    }),
  );
}

const rowOf = (row: Stored, findingId: string, parts: readonly CausePart[]) => ({
  id: row.id,
  finding_id: findingId,
  conversation_id: row.conversation_id,
  placed: row.placed,
  ...composeOccurrence(parts),
});
