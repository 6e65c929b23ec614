import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase, NewerDatabaseError } from "@/db/migrate";
import { db } from "@/db/pool";
import { onServer, TEMPLATE, urlOf } from "@/db/testing/template";
import { testProject } from "@/db/testing/test-project";
import { fileStore } from "@/server/platform/files";
import { folderStore } from "@/server/platform/files/folder-store";
import { bodyOfChunks } from "@/server/platform/http/testing";
import { emit } from "@/server/platform/outbox";
import { uploadFile } from "@/server/services/files";
import { projectPending } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { backUp, fingerprintOf, readBackup, restore, restoreFiles, unseal } from ".";
import type { Manifest } from "./manifest";

const SECRET = "s".repeat(40);
/** Backups run as the owner, who can read the schema of migrations. */
const OWNER = process.env.MIGRATION_DATABASE_URL as string;
let folder: string;
const made: string[] = [];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "whetstone-backup-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  for (const name of made) await onServer((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
});

async function emptyDatabase(template = "template0") {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  made.push(name);
  await onServer((sql) => sql.unsafe(`create database ${name} template ${template} strategy file_copy`));
  return urlOf(name);
}
/** What a first start makes of an empty database. */
const preparedDatabase = () => emptyDatabase(TEMPLATE);

const on = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return work(sql).finally(() => sql.end());
};

const told = ({ tables }: Manifest) =>
  tables.map(({ name, rows, checksum }) => ({ name, rows, checksum })).filter(({ rows }) => rows > 0);

const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
const awkward = 'tab\tnewline\nbackslash \\N quote " \u{1F600} null-like \\.';

async function someTraffic(n: number) {
  const { ctx } = await testProject();
  await ingest(ctx, [
    chatSpan(
      { traceId: hex(n + 1, 32), spanId: hex(n + 1, 16), attributes: { "user.id": "ann" } },
      { input: [["user", awkward]] },
    ),
  ]);
  await emit(ctx.db, { name: "test/event", data: { projectId: ctx.projectId, text: awkward, list: [1, null] } });
  return ctx;
}

test.each(["folder", "one.tar"])(
  "a backup taken under load restores the same data (%s)",
  async (name) => {
    const ctx = await someTraffic(made.length * 1000);
    // More than fits in the buffers of a socket and a stream.
    const many = Array.from({ length: 3000 }, (_, n) => ({
      name: "test/bulk",
      data: { text: `${n} ${"x".repeat(300)}` },
    }));
    await emit(ctx.db, ...many);
    const to = path.join(folder, name);
    let busy = true;
    let batches = 0;
    const load = (async () => {
      for (let n = 1; busy; n++) {
        await ingest(ctx, [chatSpan({ traceId: hex(1_000_000 + n, 32), spanId: hex(n, 16) })]);
        batches++;
      }
    })();
    while (batches < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    const before = batches;
    const manifest = await backUp(OWNER, to, { secret: SECRET });
    busy = false;
    await load;
    await projectPending(db());
    const spans = manifest.tables.find((table) => table.name === "spans");
    expect(spans!.rows).toBeGreaterThanOrEqual(before);
    expect((await stat(to)).mode & 0o077).toBe(0);

    const fresh = await preparedDatabase();
    await restore(fresh, await readBackup(to));
    // A backup of the restored database has the same content, table by table.
    const again = await backUp(fresh, `${to}-again`, { secret: SECRET });
    expect(told(again)).toEqual(told(manifest));
    expect(again.migrations).toEqual(manifest.migrations);
    const counts = await on(
      fresh,
      (sql) => sql`
      select (select count(*)::int from spans) as spans, (select count(*)::int from traces) as traces,
        (select count(*)::int from pg_constraint where contype = 'f') as keys,
        (select count(*)::int from pg_trigger where tgname like 'audit%') as triggers`,
    );
    const here = await on(
      OWNER,
      (sql) => sql`
      select (select count(*)::int from pg_constraint where contype = 'f') as keys,
        (select count(*)::int from pg_trigger where tgname like 'audit%') as triggers`,
    );
    expect(counts[0]).toMatchObject({ spans: spans!.rows, ...here[0] });
    // The restored database is usable: sequences are ahead of the rows, and a start finds nothing to migrate.
    await migrateDatabase(fresh);
    await on(fresh, async (sql) => {
      await sql`insert into job_events (id, name, data) values ('evt_new', 'x', '{}')`;
      await sql`insert into projection_queue (project_id, trace_id, received_at) values (${ctx.projectId}, 'x', 1)`;
      const [{ ok }] = (await sql`
      select (select seq from job_events where id = 'evt_new') >= max(seq) as ok from job_events`) as unknown as [
        { ok: boolean },
      ];
      expect(ok).toBe(true);
    });
  },
  120_000,
);

test("a database in use, and a damaged, later or foreign backup, are refused without changing anything", async () => {
  await someTraffic(1);
  const to = path.join(folder, "refused");
  const manifest = await backUp(OWNER, to, { secret: SECRET });
  await expect(backUp(OWNER, to, { secret: SECRET })).rejects.toThrow("exists already");
  const backup = await readBackup(to);
  await expect(restore(OWNER, backup)).rejects.toThrow("not empty");

  const fresh = await preparedDatabase();
  const later = { ...manifest, migrations: [...manifest.migrations, { hash: "x", createdAt: Date.now() + 1e9 }] };
  await expect(restore(fresh, { ...backup, manifest: later })).rejects.toThrow("newer version");
  const foreign = { ...manifest, migrations: [{ hash: "x", createdAt: 1 }] };
  await expect(restore(fresh, { ...backup, manifest: foreign })).rejects.toThrow("does not know");
  const short = { ...manifest, tables: manifest.tables.map((table) => ({ ...table, rows: table.rows + 1 })) };
  await expect(restore(fresh, { ...backup, manifest: short })).rejects.toThrow("undone");
  expect(await on(fresh, (sql) => sql`select count(*)::int as n from users`)).toMatchObject([{ n: 0 }]);

  await onServer((sql) => sql`select 1`);
  const other = await emptyDatabase();
  await on(other, (sql) => sql`create table theirs (id int)`);
  await expect(restore(other, backup)).rejects.toThrow("belongs to another program");

  const spans = path.join(to, "spans.copy.gz");
  const bytes = await readFile(spans);
  bytes[bytes.length - 9]! ^= 1;
  await writeFile(spans, bytes);
  await expect(readBackup(to)).rejects.toThrow("spans.copy.gz does not match its checksum");
  await rm(spans);
  await expect(readBackup(to)).rejects.toThrow("lacks spans.copy.gz");
  await expect(readBackup(path.join(folder, "nowhere"))).rejects.toThrow("does not exist");
});

test.each(["files", "files.tar"])(
  "files are backed up and restored, and a modified one is detected (%s)",
  async (name) => {
    const { ctx } = await testProject();
    const words = Buffer.from("what an imported file says ".repeat(10_000));
    const { file } = await uploadFile(ctx, { name: "a.jsonl" }, { body: bodyOfChunks(words) });
    const to = path.join(folder, name);
    const manifest = await backUp(OWNER, to, { secret: SECRET, store: fileStore() });
    const key = `${ctx.projectId}/objects/${file.sha256}-${file.id}`;
    expect(manifest.files).toContainEqual(expect.objectContaining({ key, bytes: words.length, sha256: file.sha256 }));
    const fresh = folderStore(path.join(folder, `${name}-restored`));
    const backup = await readBackup(to);
    const { undo } = await restoreFiles(fresh, backup);
    expect(Buffer.concat(await (await fresh.read(key)).toArray())).toEqual(words);
    await undo();
    expect(await fresh.find(key)).toBeUndefined();
    // Existing files stay even if the restore is undone.
    await (await restoreFiles(fileStore(), backup)).undo();
    expect((await fileStore().find(key))?.bytes).toBe(words.length);
    if (name.endsWith(".tar")) return;
    await writeFile(path.join(to, manifest.files.find((one) => one.key === key)!.member!), "something else");
    await expect(readBackup(to)).rejects.toThrow("does not match its checksum");
  },
);

test("a tar written by an earlier version can be restored", async () => {
  const from = path.join(folder, "earlier.tar");
  await writeFile(from, gunzipSync(await readFile("db/backup/testing/before-tar-stream.tar.gz")));
  const backup = await readBackup(from);
  expect(unseal(backup.manifest.secret!, "correct horse")).toBe(SECRET);
  const fresh = await emptyDatabase();
  await restore(fresh, backup);
  const [project] = await on(fresh, (sql) => sql`select name from projects where id = 'prj_old'`);
  expect(project).toEqual({ name: "Shop of an earlier version" });
  const [event] = await on(fresh, (sql) => sql`select data from job_events where id = 'evt_old'`);
  expect(event?.data).toContain("backslash");
});

test("a truncated tar, a modified tar and a file of another type are refused", async () => {
  const whole = path.join(folder, "whole.tar");
  await backUp(OWNER, whole, { secret: SECRET });
  const bytes = await readFile(whole);
  const refused = async (name: string, content: Buffer) => {
    await writeFile(path.join(folder, name), content);
    return readBackup(path.join(folder, name)).then(
      () => "read",
      (error: Error) => `${error.name}: ${error.message}`,
    );
  };
  expect(await refused("cut.tar", bytes.subarray(0, 700))).toContain("ArchiveProblem: ");
  expect(await refused("half.tar", bytes.subarray(0, 512 * Math.floor(bytes.length / 1024)))).toContain(
    "ArchiveProblem",
  );
  const changed = Buffer.from(bytes);
  changed[512 + 4]! ^= 1;
  expect(await refused("changed.tar", changed)).toContain("damaged");
  expect(await refused("text.tar", Buffer.from("hello ".repeat(500)))).toContain("is not a backup");
  expect(await refused("empty.tar", Buffer.alloc(0))).toContain("is not a backup");
});

test("a backup to a path that cannot be written fails with the reason", async () => {
  const file = path.join(folder, "a-file");
  await writeFile(file, "");
  await expect(backUp(OWNER, path.join(file, "below"), { secret: SECRET })).rejects.toThrow("ENOTDIR");
  // Fails in the middle of a table, while the server is still sending.
  const to = path.join(folder, "breaks");
  await mkdir(path.join(`${to}.partial-${process.pid}`, "job_events.copy.gz"), { recursive: true });
  await expect(backUp(OWNER, to, { secret: SECRET })).rejects.toThrow("EISDIR");
  expect((await readdir(folder)).filter((name) => name.startsWith("breaks"))).toEqual([]);
});

test("a backup restores into an unprepared, empty database", async () => {
  const to = path.join(folder, "bare.tar");
  await backUp(OWNER, to, { secret: SECRET });
  const bare = await emptyDatabase();
  await restore(bare, await readBackup(to));
  await migrateDatabase(bare);
  await on(bare, (sql) => sql`update drizzle.__drizzle_migrations set created_at = created_at + 100000000000`);
  await expect(migrateDatabase(bare)).rejects.toThrow(NewerDatabaseError);
});

test("the secret is included only under a passphrase, and its fingerprint identifies it without one", async () => {
  const to = path.join(folder, "with-secret");
  const manifest = await backUp(OWNER, to, { secret: SECRET, passphrase: "correct horse" });
  expect(await readFile(path.join(to, "manifest.json"), "utf8")).not.toContain(SECRET);
  expect(unseal(manifest.secret!, "correct horse")).toBe(SECRET);
  expect(unseal(manifest.secret!, "wrong")).toBeUndefined();
  expect(manifest.secretFingerprint).toBe(fingerprintOf(SECRET));
  expect(fingerprintOf("another")).not.toBe(fingerprintOf(SECRET));
});
