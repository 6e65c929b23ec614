import type postgres from "postgres";
import { z } from "zod";

export const MANIFEST = "manifest.json";
/** Incremented when the backup format changes. Table changes do not count: migrations identify those. */
export const FORMAT = 2;

/** The name of a table, column or sequence of ours. */
const identifier = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const count = z.int().min(0);

const table = z.object({
  name: identifier,
  columns: z.array(identifier),
  rows: count,
  /** Sum over all rows of a 64-bit hash of each, independent of their order. */
  checksum: z.string(),
  file: z.string(),
  /** SHA-256 of the file. */
  sha256: z.string(),
});
export type TableEntry = z.infer<typeof table>;

/** A file's content. `member` is its name in the backup; `null` when it is in a bucket, or was missing. */
const file = z.object({
  /** As the file store names its objects: a backup may come from anyone, and its files go nowhere else. */
  key: z.string().regex(/^[\w-]+\/objects\/[\w-]+$/),
  bytes: count,
  sha256: z.string(),
  member: z.string().nullable(),
});
export type FileEntry = z.infer<typeof file>;

export const manifest = z.object({
  /** Format 1 had no files. */
  whetstoneBackup: z.union([z.literal(1), z.literal(FORMAT)]),
  createdAt: z.number(),
  serverVersion: z.string(),
  /** The applied migrations, which identify the schema. */
  migrations: z.array(z.object({ hash: z.string(), createdAt: z.number() })).min(1),
  tables: z.array(table),
  files: z.array(file).default([]),
  sequences: z.array(z.object({ name: identifier, lastValue: z.string().regex(/^-?\d{1,19}$/) })),
  /** Identifies the WHETSTONE_SECRET of the backup without revealing anything about it. */
  secretFingerprint: z.string(),
  /** The secret itself, sealed with a passphrase; null unless requested. */
  secret: z.object({ salt: z.string(), nonce: z.string(), sealed: z.string() }).nullable(),
});
export type Manifest = z.infer<typeof manifest>;

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
export const tableName = (name: string) => `public.${quoted(name)}`;
export const columnList = (columns: readonly string[]) => columns.map(quoted).join(", ");

/** Returns a table's row count and a checksum over its rows, which must be equal before and after. */
export async function contentOf(sql: postgres.Sql | postgres.TransactionSql, name: string, columns: readonly string[]) {
  const [row] = await sql.unsafe<{ rows: string; checksum: string }[]>(
    `select count(*)::text as rows, coalesce(sum(hashtextextended(row(${columnList(columns)})::text collate "C", 0)::numeric), 0)::text as checksum
     from ${tableName(name)}`,
  );
  return { rows: Number(row?.rows), checksum: String(row?.checksum) };
}

/** Makes every server render the same text for the same value. */
export const PLAIN_SETTINGS = {
  application_name: "whetstone backup",
  DateStyle: "ISO, YMD",
  IntervalStyle: "iso_8601",
  TimeZone: "UTC",
  extra_float_digits: 1,
  bytea_output: "hex",
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
};
