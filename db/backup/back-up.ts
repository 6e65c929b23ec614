import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import postgres from "postgres";
import { type FileStore, isMissing } from "@/server/platform/files/store";
import { MIGRATION_LOCK } from "../migrate";
import { type ArchiveWriter, createArchive, PRIVATE_FILE } from "./archive";
import {
  columnList,
  contentOf,
  type FileEntry,
  FORMAT,
  MANIFEST,
  type Manifest,
  PLAIN_SETTINGS,
  type TableEntry,
  tableName,
} from "./manifest";
import { fingerprintOf, seal } from "./secret";

type Tx = postgres.TransactionSql;

/** Fast compression: backups run while people work. */
const GZIP_LEVEL = 3;

/**
 * Writes a consistent snapshot of the whole database without blocking writers: one REPEATABLE READ transaction reads every
 * table with COPY. `to` is a folder, or one file if it ends in `.tar`.
 */
export async function backUp(
  url: string,
  to: string,
  {
    secret,
    passphrase,
    store,
  }: { secret: string; passphrase?: string | undefined /** Where files are stored. */; store?: FileStore | undefined },
): Promise<Manifest> {
  const archive = await createArchive(to);
  let failed: unknown;
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10, connection: PLAIN_SETTINGS });
  try {
    // Blocks migrations until this connection ends, so that the schema is the one the manifest names.
    await sql`select pg_advisory_lock_shared(${MIGRATION_LOCK})`;
    const manifest = await sql.begin("isolation level repeatable read read only", async (tx): Promise<Manifest> => {
      const names = await tablesOf(tx);
      const tables: TableEntry[] = [];
      let files: FileEntry[] = [];
      try {
        for (const name of names) tables.push(await copyOut(tx, name, archive));
        if (store && names.includes("files")) files = await copyFiles(tx, store, archive);
      } catch (error) {
        // The connection may be in the middle of an abandoned COPY, so it accepts neither a query nor a rollback.
        failed = error;
        await sql.end({ timeout: 0 });
        throw error;
      }
      const sequences = await tx<{ name: string; lastValue: string }[]>`
        select sequencename as name, last_value::text as "lastValue" from pg_sequences
        where schemaname = 'public' and last_value is not null order by 1`;
      const [server] = await tx`select current_setting('server_version') as version`;
      return {
        whetstoneBackup: FORMAT,
        createdAt: Date.now(),
        serverVersion: String(server?.version),
        migrations: await migrationsOf(tx),
        tables,
        files,
        sequences: [...sequences],
        secretFingerprint: fingerprintOf(secret),
        secret: passphrase === undefined ? null : seal(secret, passphrase),
      };
    });
    await writeFile(archive.pathOf(MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: PRIVATE_FILE });
    await archive.add(MANIFEST);
    await archive.finish();
    return manifest;
  } catch (error) {
    await archive.discard();
    throw failed ?? error;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function tablesOf(tx: Tx) {
  const rows = await tx<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
  return rows.map(({ name }) => name);
}

async function migrationsOf(tx: Tx) {
  const rows = await tx<{ hash: string; createdAt: number }[]>`
    select hash, created_at::float8 as "createdAt" from drizzle.__drizzle_migrations order by created_at`;
  return [...rows];
}

/** Copies the files of a folder store. A bucket's files are listed with their digests: the bucket keeps the content. */
async function copyFiles(tx: Tx, store: FileStore, archive: ArchiveWriter): Promise<FileEntry[]> {
  const rows = await tx<{ project: string; object: string; bytes: string; sha256: string }[]>`
    select distinct project_id as project, object, bytes::text as bytes, sha256 from files where state = 'stored' order by 1, 2`;
  const entries: FileEntry[] = [];
  for (const { project, object, bytes, sha256 } of rows) {
    const key = `${project}/objects/${object}`;
    const content = store.kind === "folder" ? await store.read(key).catch(absent) : undefined;
    const member = content ? `${project}.${object}.file` : null;
    if (content && member) {
      await pipeline(content, createWriteStream(archive.pathOf(member), { mode: PRIVATE_FILE }));
      await archive.add(member);
    }
    entries.push({ key, bytes: Number(bytes), sha256, member });
  }
  return entries;
}

/** Ignores a file deleted since the snapshot, or lost. */
function absent(error: unknown) {
  if (isMissing(error)) return undefined;
  throw error;
}

async function copyOut(tx: Tx, name: string, archive: ArchiveWriter): Promise<TableEntry> {
  const found = await tx<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${name} and is_generated = 'NEVER' order by ordinal_position`;
  const columns = found.map((column) => column.name);
  const content = await contentOf(tx, name, columns);
  const file = `${name}.copy.gz`;
  const digest = createHash("sha256");
  const digesting = new Transform({
    transform(chunk: Buffer, _, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
  const rows = await tx.unsafe(`copy (select ${columnList(columns)} from ${tableName(name)}) to stdout`).readable();
  await pipeline(
    rows,
    createGzip({ level: GZIP_LEVEL }),
    digesting,
    createWriteStream(archive.pathOf(file), { mode: PRIVATE_FILE }),
  );
  // postgres.js pauses its socket when the stream is full and resumes it when more is read. Nothing more is read from an ended
  // stream, so the next query would wait forever.
  rows._read(0);
  await archive.add(file);
  return { name, columns, ...content, file, sha256: digest.digest("hex") };
}
