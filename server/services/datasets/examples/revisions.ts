import { sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { exampleRevisions } from "@/db/schema";
import type { RowOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { contentHashOf } from "../chat-payload";
import type { Change } from "./types";

type Row = RowOf<typeof exampleRevisions>;
/** What a revision says, without what follows from it and from who wrote it. */
export type Content = Pick<
  Row,
  | "example_id"
  | "ordinal"
  | "tags"
  | "split"
  | "source_kind"
  | "external_ref"
  | "objective"
  | "conversation_id"
  | "user_id"
  | "turn"
  | "finding_id"
  | "reviewer_id"
  | "content_hash"
  | "provenance_key"
  | "tokens"
  | "created_at"
>;
/** A current revision. Its payload is read only where an update leaves it as it is. */
export type Stored = Content & { from_version: number; payload: unknown };

/** What makes two revisions of an Example say the same. */
export const SAID = [
  "content_hash",
  "tags",
  "split",
  "source_kind",
  "external_ref",
  "objective",
  "conversation_id",
  "user_id",
  "turn",
  "finding_id",
  "reviewer_id",
  "provenance_key",
] as const satisfies readonly (keyof Content)[];

const COLUMNS = sql.raw(
  ["example_id", "ordinal", "from_version", "tokens", "created_at", ...SAID].map((name) => `r.${name}`).join(", "),
);

/** A change with the hash of its payload, computed once. */
export type Hashed = Change & { hash: string | undefined };

export const hashed = (change: Change): Hashed => {
  const payload =
    change.kind === "create" ? change.draft.payload : change.kind === "update" ? change.patch.payload : undefined;
  return { ...change, hash: payload && contentHashOf(payload) };
};

/** Reads every current revision that changes name, or may be a duplicate of. */
export async function readStored(tx: Ctx, datasetId: string, changes: readonly Hashed[]): Promise<Stored[]> {
  const ids = new Set<string>();
  const unread = new Set<string>();
  const refs = new Set<string>();
  const keys = new Set<string>();
  for (const change of changes) {
    if (change.kind !== "create") {
      ids.add(change.exampleId);
      if (change.kind === "update" && change.patch.payload === undefined) unread.add(change.exampleId);
      if (change.kind === "update" && change.patch.provenanceKey) keys.add(change.patch.provenanceKey);
      continue;
    }
    const { source, provenanceKey } = change.draft;
    if (source.externalRef !== null && change.onDuplicate !== "keep") refs.add(source.externalRef);
    if (provenanceKey !== undefined) keys.add(provenanceKey);
  }
  const hashes = changes.flatMap(({ hash }) => hash ?? []);
  const current = sql`project_id = ${tx.projectId} and dataset_id = ${datasetId} and to_version is null`;
  const named = Object.entries({
    example_id: [...ids],
    content_hash: hashes,
    provenance_key: [...keys],
    external_ref: [...refs],
  }).flatMap(([column, values]) =>
    values.length === 0
      ? []
      : [
          sql`select example_id from example_revisions where ${current} and ${sql.identifier(column)} = any(${textArray(values)})`,
        ],
  );
  if (named.length === 0) return [];
  const rows = await tx.db.execute<Stored & { created_at: string }>(sql`
    with found as materialized (${sql.join(named, sql` union `)})
    select ${COLUMNS}, case when r.example_id = any(${textArray([...unread])}) then r.payload end as payload
    from found join lateral (
      select * from example_revisions where ${current} and example_id = found.example_id offset 0
    ) r on true
    order by r.ordinal`);
  return rows.map((row) => ({ ...row, created_at: Number(row.created_at) }));
}
