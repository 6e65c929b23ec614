import { type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { exampleRevisions } from "@/db/schema";
import type { RowOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { contentHashOf } from "../chat-payload";
import type { Change, Split } from "./types";

type Row = RowOf<typeof exampleRevisions>;
/** The content of a revision, without what is derived from it and without its author. */
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
/**
 * A current revision. Its payload is read only if an update leaves it unchanged, and the text of its tools only if a change has
 * tools.
 */
export type Stored = Content & { from_version: number; payload: unknown; tools: string | null };

/** If these columns are equal, two revisions of an Example have the same content. */
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

/** The same of a revision whose tools may have been reordered, which does not change the hash. */
export const saidWithTools = (table: string) =>
  sql.raw(`(${[...SAID.map((name) => `${table}.${name}`), `${table}.payload #>> '{input,tools}'`].join(", ")})`);

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

const toolsOf = (change: Change) =>
  change.kind === "create"
    ? change.draft.payload.input.tools
    : change.kind === "update"
      ? change.patch.payload?.input.tools
      : undefined;

/** Reads every current revision that the changes name or may duplicate. */
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
  const current = currentOf(tx, datasetId);
  const named = Object.entries({
    example_id: [...ids],
    content_hash: hashes,
    provenance_key: [...keys],
    external_ref: [...refs],
  }).flatMap(([column, values]) =>
    values.length === 0
      ? []
      : [
          sql`select ctid from example_revisions where ${current} and ${sql.identifier(column)} = any(${textArray(values)})`,
        ],
  );
  if (named.length === 0) return [];
  const withTools = changes.some((change) => toolsOf(change) !== undefined);
  return readCurrent(tx, datasetId, sql.join(named, sql` union `), { unread, withTools });
}

/**
 * Reads the current revisions whose places in the table `found` selects, with the payloads of some or all of them, and their tools'
 * text. By place, because without statistics on what was just written any index that starts with the Dataset looks as good as the
 * one of its Examples, and the whole Dataset would be read for each of them.
 */
async function readCurrent(
  tx: Ctx,
  datasetId: string,
  found: SQL,
  { unread, withTools }: { unread: ReadonlySet<string> | "all"; withTools: boolean },
): Promise<Stored[]> {
  const has = unread === "all" ? sql`true` : sql`r.example_id = any(${textArray([...unread])})`;
  const tools = withTools ? sql`r.payload #>> '{input,tools}'` : sql`null`;
  const rows = await tx.db.execute<Stored & { created_at: string }>(sql`
    with found as materialized (${found})
    select ${COLUMNS}, case when ${has} then r.payload end as payload, ${tools} as tools
    from found join lateral (
      select * from example_revisions where ${currentOf(tx, datasetId)} and ctid = found.ctid offset 0
    ) r on true
    order by r.ordinal`);
  return rows.map((row) => ({ ...row, created_at: Number(row.created_at) }));
}

const currentOf = (tx: Ctx, datasetId: string) =>
  sql`project_id = ${tx.projectId} and dataset_id = ${datasetId} and to_version is null`;

/**
 * If a change sets an Example's split, adds the other Examples of the same conversations to what is stored, with their
 * payloads, because they move along with it.
 */
export async function withSiblings(
  tx: Ctx,
  datasetId: string,
  stored: readonly Stored[],
  changes: readonly Change[],
): Promise<readonly Stored[]> {
  const giving = changes.filter(givesSplit);
  if (giving.length === 0) return stored;
  const conversations = new Set([
    ...stored.flatMap(({ conversation_id }) => conversation_id ?? []),
    ...giving.flatMap((change) => linkOf(change)?.conversationId ?? []),
  ]);
  if (conversations.size === 0) return stored;
  const siblings = await readCurrent(
    tx,
    datasetId,
    sql`select ctid from example_revisions
      where ${currentOf(tx, datasetId)} and conversation_id = any(${textArray([...conversations])})`,
    { unread: "all", withTools: giving.some((change) => toolsOf(change) !== undefined) },
  );
  const others = stored.filter(({ conversation_id }) => conversation_id === null);
  return [...others, ...siblings].toSorted((a, b) => a.ordinal - b.ordinal);
}

/** Returns the conversation that a change links an Example to. */
export const linkOf = (change: Change) =>
  change.kind === "create" ? change.draft.link : change.kind === "update" ? change.patch.link : undefined;

const givesSplit = (change: Change) =>
  change.kind === "update"
    ? change.patch.split !== undefined
    : change.kind === "create" && change.onDuplicate === "update" && change.draft.split !== undefined;

/** Returns the existing split of each conversation that changes are linked to: that of its oldest Example. */
export async function splitsOf(
  tx: Ctx,
  datasetId: string,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, Split>> {
  const ids = new Set(changes.flatMap((change) => linkOf(change)?.conversationId ?? []));
  if (ids.size === 0) return new Map();
  const rows = await tx.db.execute<{ conversation_id: string; split: Split }>(sql`
    select distinct on (conversation_id) conversation_id, split from example_revisions
    where ${currentOf(tx, datasetId)} and conversation_id = any(${textArray([...ids])})
    order by conversation_id, ordinal`);
  return new Map([...rows].map(({ conversation_id, split }) => [conversation_id, split]));
}
