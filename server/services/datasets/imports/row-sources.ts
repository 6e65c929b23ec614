import { sql } from "drizzle-orm";
import { rowsOf, textArray } from "@/db/rows";
import { EXAMPLE_WORDS_HASH } from "@/db/schema/datasets";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { wordsHashOf } from "../chat-payload";
import type { Draft } from "../examples/types";
import type { CheckedRow } from "./check-row";
import type { ImportRow } from "./read-imports";

/**
 * Thrown for a file that contains an Example deleted with a user or a conversation: the file is deleted too, and not read
 * further.
 */
export class NamesDeletedExample extends Error {
  override name = "NamesDeletedExample";

  constructor(line: number) {
    super(
      `Line ${line} contains an Example of a deleted user or conversation, so the file was deleted. Import a newer export.`,
    );
  }
}

type Link = NonNullable<Draft["link"]>;
type Found = {
  dataset_id: string;
  example_id: string;
  from_version: number;
  words_hash: string;
  conversation_id: string;
  user_id: string | null;
  turn: number | null;
  finding_id: string | null;
};

/** Finds Examples made from conversations, in any Dataset and version, whose ids or words the rows contain. */
async function linkedExamples(tx: Ctx, ids: readonly string[], hashes: () => string[]): Promise<Found[]> {
  const datasets = await tx.db.execute<{ id: string }>(sql`
    select id from datasets d where project_id = ${tx.projectId} and exists (
      select 1 from example_revisions r
      where r.project_id = d.project_id and r.dataset_id = d.id and r.conversation_id is not null)`);
  if (datasets.length === 0) return [];
  // One lookup per Dataset, because the index of ids begins with it.
  const inDatasets = sql`select id from unnest(${textArray([...datasets].map(({ id }) => id))}) id`;
  const linked = sql`r.project_id = ${tx.projectId} and r.conversation_id is not null`;
  const words = sql.raw(EXAMPLE_WORDS_HASH);
  const columns = sql`r.dataset_id, r.example_id, r.from_version, ${words} as words_hash, r.conversation_id, r.user_id, r.turn, r.finding_id`;
  const found = await tx.db.execute<Found>(sql`
    select named.* from (${inDatasets}) d cross join lateral (
      select ${columns} from example_revisions r
      where ${linked} and r.dataset_id = d.id and r.example_id = any(${textArray(ids)})
    ) named
    union
    select ${columns} from example_revisions r where ${linked} and ${words} = any(${textArray(hashes())})
    order by from_version`);
  return [...found];
}

/**
 * Locks the Examples against deletion until the end of the transaction, without waiting; throws `conflict` if one is being
 * deleted.
 */
async function lockLinked(tx: Ctx, found: readonly Found[]) {
  const keys = found.map(({ dataset_id, example_id, from_version }) => ({ dataset_id, example_id, from_version }));
  const locked = await tx.db.execute(sql`
    select 1 from example_revisions r
    where r.project_id = ${tx.projectId} and (r.dataset_id, r.example_id, r.from_version) in (
      select * from ${rowsOf(keys, "dataset_id text, example_id text, from_version int")})
    for key share of r skip locked`);
  if (locked.length < keys.length)
    throw new ServiceError("conflict", "Examples that the file contains are being deleted.");
}

/**
 * Records the conversations whose Examples the rows contain, according to the export or to the stored Examples, and returns how
 * to link each such row: with that, a deletion of the user finds what is made from it, and the file. Throws
 * `NamesDeletedExample` if such an Example has been deleted, and `conflict` while one is being deleted.
 */
export async function recordSources(
  tx: Ctx,
  { id: importId }: Pick<ImportRow, "id">,
  rows: readonly CheckedRow[],
): Promise<(row: CheckedRow) => Link | undefined> {
  const ids = [...new Set(rows.flatMap(({ exampleId }) => exampleId ?? []))];
  const found = await linkedExamples(tx, ids, () =>
    rows.flatMap(({ draft }) => (draft && wordsHashOf(draft.payload)) ?? []),
  );
  if (found.length > 0) await lockLinked(tx, found);
  // After locking, so that deletions that ended just before are seen here.
  if (ids.length > 0) {
    const [gone] = await tx.db.execute<{ id: string }>(sql`
      select example_id as id from deleted_examples where project_id = ${tx.projectId} and example_id = any(${textArray(ids)}) limit 1`);
    if (gone) throw new NamesDeletedExample(rows.find(({ exampleId }) => exampleId === gone.id)?.line ?? 1);
  }
  const said = rows.flatMap(({ draft }) => draft?.link ?? []);
  const sources = new Map([
    ...said.map(({ conversationId: conversation_id, userId: user_id }) => [
      conversation_id,
      { conversation_id, user_id },
    ]),
    ...found.map(({ conversation_id, user_id }) => [conversation_id, { conversation_id, user_id }]),
  ] as [string, object][]);
  if (sources.size === 0) return () => undefined;
  await tx.db.execute(sql`
    insert into dataset_import_sources (project_id, import_id, conversation_id, user_id)
    select ${tx.projectId}, ${importId}, conversation_id, user_id
    from ${rowsOf([...sources.values()], "conversation_id text, user_id text")}
    order by conversation_id on conflict do nothing`);
  const links = new Map<string, Link>();
  for (const { example_id, words_hash, conversation_id, user_id, turn, finding_id } of found) {
    const link = { conversationId: conversation_id, userId: user_id, turn, findingId: finding_id };
    links.set(example_id, link).set(words_hash, link);
  }
  return ({ exampleId, draft }) =>
    draft?.link ?? links.get(exampleId ?? "") ?? (draft && links.get(wordsHashOf(draft.payload) ?? ""));
}
