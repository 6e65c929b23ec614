import { createHash } from "node:crypto";
import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import postgres from "postgres";
import type { FileStore } from "@/server/platform/files/store";
import { grantToApplication } from "../application-role";
import { applyFunctions, changedFunctions } from "../apply-functions";
import { MIGRATION_LOCK, SOURCES } from "../migrate";
import { type Archive, ArchiveProblem, openArchive, readText } from "./archive";
import { columnList, contentOf, MANIFEST, type Manifest, manifest, PLAIN_SETTINGS, tableName } from "./manifest";

type Tx = postgres.TransactionSql;

/** An opened backup. `checksum` is its manifest's SHA-256, which covers the rest. */
export type ReadBackup = { archive: Archive; manifest: Manifest; checksum: string };

/** Reads a backup and, unless `prove` is false, verifies its files before anything is changed. */
export async function readBackup(from: string, { prove = true } = {}): Promise<ReadBackup> {
  const archive = await openArchive(from);
  const { text, digests } = await readThrough(archive, prove);
  if (text === undefined) throw new ArchiveProblem(`${from} is not a backup: it has no ${MANIFEST}.`);
  const read = manifest.safeParse(parsed(text));
  if (!read.success) {
    throw new ArchiveProblem(
      `${from} is not a backup that this version of Whetstone can read: its manifest is damaged or has a newer format.`,
    );
  }
  const files = read.data.files.flatMap(({ member, sha256 }) => (member === null ? [] : [{ file: member, sha256 }]));
  for (const { file, sha256 } of prove ? [...read.data.tables, ...files] : []) {
    const found = digests.get(file);
    if (found === undefined) throw new ArchiveProblem(`The backup is incomplete: it lacks ${file}.`);
    if (found !== sha256) throw new ArchiveProblem(`The backup is damaged: ${file} does not match its checksum.`);
  }
  return { archive, manifest: read.data, checksum: createHash("sha256").update(text).digest("hex") };
}

/** Reads the whole archive once: the manifest is written last. */
async function readThrough({ members }: Archive, prove: boolean) {
  const digests = new Map<string, string>();
  let text: string | undefined;
  const seen = new Set<string>();
  for await (const { name, content } of members()) {
    // Only one of two could be what the manifest's checksum is of.
    if (seen.has(name)) throw new ArchiveProblem(`The backup is damaged: it contains ${name} twice.`);
    seen.add(name);
    if (name === MANIFEST) {
      text = await readText(content);
      if (!prove) break;
    } else if (prove) {
      const digest = createHash("sha256");
      await pipeline(content, digest);
      digests.set(name, digest.digest("hex"));
    }
  }
  return { text, digests };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * Restores a backup into an empty installation: creates the schema of that time, loads and verifies the rows, then applies
 * the later migrations and the functions. All in one transaction: a failed restore changes nothing.
 */
export async function restore(
  url: string,
  { archive, manifest }: Pick<ReadBackup, "archive" | "manifest">,
  /** The role that the application connects as, when it is not the owner. */
  application: string | undefined = undefined,
  /** Called immediately before the commit. */
  finish: () => void = () => {},
): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: SOURCES.migrations });
  const known = refuseForeign(manifest, migrations);
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10, connection: PLAIN_SETTINGS });
  try {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
      await refuseNonEmpty(tx);
      await createSchema(tx);
      for (const migration of known) await migrateOne(tx, migration);
      await loadRows(tx, archive, manifest);
      for (const migration of migrations.slice(known.length)) await migrateOne(tx, migration);
      await applyFunctions(tx, await changedFunctions(tx, SOURCES.functions));
      if (application !== undefined) await grantToApplication(tx, application);
      finish();
    });
    await sql`analyze`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Restores the backup's files into the store. Returns an `undo` for a restore that then fails. */
export async function restoreFiles(store: FileStore, { archive, manifest }: Pick<ReadBackup, "archive" | "manifest">) {
  const byMember = new Map(manifest.files.map((file) => [file.member, file]));
  const done: string[] = [];
  const undo = async () => {
    for (const key of done) await store.remove(key);
  };
  try {
    for await (const { name, content } of archive.members()) {
      const file = byMember.get(name);
      // This restore did not write an existing file, so `undo` must not delete it.
      if (!file || (await store.find(file.key))) continue;
      const upload = file.key.replace("/objects/", "/uploads/");
      try {
        await store.abandon(upload);
        await store.append(upload, content);
        await store.complete(upload);
        await store.move(upload, file.key);
      } catch (error) {
        await store.abandon(upload);
        throw error;
      }
      done.push(file.key);
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return { restored: done.length, undo };
}

/** Returns the backup's migrations as this code has them; throws if one is unknown. */
function refuseForeign({ migrations: had }: Manifest, ours: readonly MigrationMeta[]) {
  if ((had.at(-1)?.createdAt ?? 0) > (ours.at(-1)?.folderMillis ?? 0)) {
    throw new ArchiveProblem("The backup was made by a newer version of Whetstone. Update this installation first.");
  }
  const known = ours.slice(0, had.length);
  const same = had.every((one, n) => known[n]?.folderMillis === one.createdAt && known[n]?.hash === one.hash);
  if (!same)
    throw new ArchiveProblem(
      "The backup was made by a version of Whetstone whose database schema this version does not know.",
    );
  return known;
}

/** Refuses a database in use. An installation that was only started has no person and no project, and passes. */
async function refuseNonEmpty(tx: Tx) {
  const [found] = await tx`
    select to_regclass('public.users') as users, to_regclass('public.projects') as projects,
           (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')) as tables`;
  if (found?.tables > 0 && !(found?.users && found?.projects)) {
    throw new ArchiveProblem("The database belongs to another program. Restore into an empty one.");
  }
  if (!found?.users) return;
  // Prevents sign-ups during the restore.
  await tx`lock table users, projects in access exclusive mode`;
  const [row] = await tx`select exists (select 1 from users) or exists (select 1 from projects) as used`;
  if (row?.used) {
    throw new ArchiveProblem(
      "The database is not empty: it contains accounts or projects. Restore into a fresh installation (another DATA_DIR or DATABASE_URL).",
    );
  }
}

async function createSchema(tx: Tx) {
  await tx`drop schema if exists drizzle cascade`;
  await tx`drop schema public cascade`;
  await tx`create schema public`;
  await tx`grant usage on schema public to public`;
  await tx`create schema drizzle`;
  // Exactly as drizzle creates it, because its migrator will use it.
  await tx`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
}

async function migrateOne(tx: Tx, { sql, hash, folderMillis }: MigrationMeta) {
  for (const statement of sql) await tx.unsafe(statement);
  await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;
}

async function loadRows(tx: Tx, archive: Archive, { tables, sequences }: Manifest) {
  // Foreign keys are dropped and checked once at the end, so the order of the tables does not matter.
  const keys = await tx<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`;
  for (const key of keys) await tx.unsafe(`alter table ${key.table} drop constraint "${key.name}"`);
  // The backup already contains the rows that triggers would write.
  const triggered = await tx<{ name: string }[]>`
    select distinct tgrelid::regclass::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not tgisinternal and c.relnamespace = 'public'::regnamespace`;
  for (const { name } of triggered) await tx.unsafe(`alter table ${name} disable trigger user`);
  const byFile = new Map(tables.map((table) => [table.file, table]));
  for await (const { name: member, content } of archive.members()) {
    const table = byFile.get(member);
    if (!table) continue;
    const { name, columns } = table;
    const rows = await tx.unsafe(`copy ${tableName(name)} (${columnList(columns)}) from stdin`).writable();
    // On close the stream sends one more message to the server, which must not end up in the next table's COPY.
    const closed = once(rows, "close");
    await Promise.all([pipeline(content, createGunzip(), rows), closed]);
  }
  for (const { name } of triggered) await tx.unsafe(`alter table ${name} enable trigger user`);
  for (const { name, lastValue } of sequences)
    await tx`select setval(${tableName(name)}::regclass, ${lastValue}::bigint)`;
  for (const { name, columns, rows, checksum } of tables) {
    const now = await contentOf(tx, name, columns);
    if (now.rows !== rows || now.checksum !== checksum) {
      throw new ArchiveProblem(
        `The restore was undone: ${name} has ${now.rows} rows where the backup has ${rows}, or their contents differ.`,
      );
    }
  }
  for (const key of keys) await tx.unsafe(`alter table ${key.table} add constraint "${key.name}" ${key.definition}`);
}
