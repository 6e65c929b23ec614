import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import postgres from "postgres";
import { type Pack, pack } from "tar-stream";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { bundledProgram } from "@/db/testing/bundled-program";
import { onServer, TEMPLATE, urlOf } from "@/db/testing/template";
import { testProject } from "@/db/testing/test-project";
import { isLong } from "@/scripts/lib/testing/amounts.mjs";
import { fileStore } from "@/server/platform/files";
import { folderStore } from "@/server/platform/files/folder-store";
import { bodyOfChunks } from "@/server/platform/http/testing";
import { uploadFile } from "@/server/services/files";
import { MIGRATION_LOCK } from "../migrate";
import { backUp, fingerprintOf, readBackup, restore, restoreFiles, secretOf } from ".";
import type { Manifest } from "./manifest";
import { seal } from "./secret";

/** A backup may come from anyone: whatever it contains, a restore writes only into the store and an empty database, or nothing. */

const SECRET = "s".repeat(40);
const OWNER = process.env.MIGRATION_DATABASE_URL as string;
const PASSPHRASE = "correct horse";

let folder: string;
let fresh: string;
/** The members of an honest backup. */
const honest = new Map<string, Buffer>();
const made: string[] = [];

async function preparedDatabase() {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  made.push(name);
  await onServer((sql) => sql.unsafe(`create database ${name} template ${TEMPLATE} strategy file_copy`));
  return urlOf(name);
}
const on = async <T>(url: string, work: (sql: postgres.Sql) => Promise<T>) => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  return work(sql).finally(() => sql.end());
};

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "whetstone-hostile-"));
  const { ctx } = await testProject();
  await uploadFile(ctx, { name: "a.jsonl" }, { body: bodyOfChunks(Buffer.from("{}\n")) });
  const to = path.join(folder, "honest");
  await backUp(OWNER, to, { secret: SECRET, passphrase: PASSPHRASE, store: fileStore() });
  for (const name of await readdir(to)) honest.set(name, await readFile(path.join(to, name)));
  fresh = await preparedDatabase();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  for (const name of made) await onServer((sql) => sql.unsafe(`drop database if exists ${name} with (force)`));
});

type Entry = [Parameters<Pack["entry"]>[0] & object, Buffer?];
type Change = {
  manifest?: (manifest: Manifest) => unknown;
  members?: Record<string, Buffer>;
  entries?: Entry[];
  bytes?: (tar: Buffer) => Buffer;
};
const digest = (content: Buffer) => createHash("sha256").update(content).digest("hex");
const manifestOf = () => JSON.parse(String(honest.get("manifest.json"))) as Manifest;
const fileOf = ({ files }: Manifest) => files.find(({ member }) => member !== null)!;

/** Writes the honest backup with this change; the checksums of changed members are adapted, as an attacker would. */
async function forged({ manifest: change = (one) => one, members = {}, entries = [], bytes = (tar) => tar }: Change) {
  const manifest = manifestOf();
  for (const [name, content] of Object.entries(members)) {
    for (const table of manifest.tables) if (table.file === name) table.sha256 = digest(content);
    for (const file of manifest.files) if (file.member === name) file.sha256 = digest(content);
  }
  const all = new Map([...honest, ...Object.entries(members)]);
  all.set("manifest.json", Buffer.from(JSON.stringify(change(manifest))));
  const file = path.join(folder, "forged.tar");
  const tar = pack();
  const written = pipeline(tar, createWriteStream(file));
  for (const [header, content] of entries) tar.entry(header, content ?? Buffer.alloc(0));
  for (const [name, content] of all) tar.entry({ name }, content);
  tar.finalize();
  await written;
  await writeFile(file, bytes(await readFile(file)));
  return file;
}

async function restoreAll(from: string) {
  const read = await readBackup(from);
  const store = folderStore(path.join(folder, "data", "files"));
  const { undo } = await restoreFiles(store, read);
  try {
    await restore(fresh, read);
  } catch (error) {
    await undo();
    throw error;
  }
}
const filesUnder = async (place: string) =>
  (await readdir(place, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((name) => !name.endsWith("forged.tar"))
    .sort();
const stateOf = async () => ({
  files: await filesUnder(folder),
  database: await on(
    fresh,
    (sql) => sql`select (select count(*)::int from users) as users, (select count(*)::int from projects) as projects,
      (select count(*)::int from drizzle.__drizzle_migrations) as migrations,
      (select count(*)::int from pg_class where relnamespace = 'public'::regnamespace) as relations`,
  ),
});

const key = (value: string): Change => ({
  manifest: (manifest) => ({ ...manifest, files: [{ ...fileOf(manifest), key: value }] }),
});
const table = (changes: object): Change => ({
  manifest: (manifest) => ({
    ...manifest,
    tables: manifest.tables.map((one) => (one.name === "projects" ? { ...one, ...changes } : one)),
  }),
});
/** A tar header that claims this size, as text of 12 characters. */
const claiming = (size: string): Change => ({
  bytes: (tar) => {
    tar.write(size.padEnd(12, "\0"), 124, "latin1");
    tar.fill(" ", 148, 156);
    const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0);
    tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
    return tar;
  },
});

test.each<[string, Change]>([
  ["a file above the store", key("../../evil")],
  ["a file above its project", key("prj_a/objects/../../../evil")],
  ["a file at an absolute path", key("/tmp/objects/evil")],
  ["a file that is an upload of a running installation", key("prj_a/uploads/x")],
  ["a link", { entries: [[{ name: "link", type: "symlink", linkname: "/etc/passwd" }]] }],
  ["a hard link", { entries: [[{ name: "link", type: "link", linkname: "../../evil" }]] }],
  ["a device", { entries: [[{ name: "null", type: "character-device", devmajor: 1, devminor: 3 }]] }],
  ["a pipe", { entries: [[{ name: "pipe", type: "fifo" }]] }],
  ["a member twice", { entries: [[{ name: "users.copy.gz" }, gzipSync("")]] }],
  ["a claim of 8 EiB less one", claiming("777777777777")],
  ["no manifest that is JSON", { manifest: () => "{" }],
  ["a negative size", { manifest: (manifest) => ({ ...manifest, files: [{ ...fileOf(manifest), bytes: -1 }] }) }],
  ["a table named with SQL", table({ name: 'projects"; drop table users; --' })],
  ["a column named with SQL", table({ columns: ["id\") from program 'touch /tmp/evil' --"] })],
  ["a sequence named with SQL", { manifest: (one) => ({ ...one, sequences: [{ name: "x'; --", lastValue: "1" }] }) }],
  ["a sequence set with SQL", { manifest: (one) => ({ ...one, sequences: [{ name: "x", lastValue: "1); --" }] }) }],
  [
    "rows that end the copy and go on with SQL",
    { members: { "projects.copy.gz": gzipSync("\\.\ndrop table users;\n") } },
  ],
  ["rows that are not compressed", { members: { "projects.copy.gz": Buffer.from("prj_x\t1\n") } }],
])("a backup with %s is refused, and the installation is as before", async (_, change) => {
  const before = await stateOf();
  await expect(restoreAll(await forged(change))).rejects.toThrow();
  expect(await stateOf()).toEqual(before);
});

test("members that the manifest does not name are written nowhere", async () => {
  const before = await filesUnder(folder);
  const entries: Entry[] = ["../evil", "/tmp/evil", ".env", "secret"].map((name) => [
    { name },
    Buffer.from("DATABASE_URL=x"),
  ]);
  const read = await readBackup(await forged({ entries }));
  const { undo } = await restoreFiles(folderStore(path.join(folder, "data", "files")), read);
  expect((await filesUnder(folder)).length - before.length).toBe(read.manifest.files.length);
  await undo();
  expect(await filesUnder(folder)).toEqual(before);
});

test("a secret is accepted only if the backup was made under it, and never more than one line", () => {
  const manifest = manifestOf();
  expect(secretOf(manifest, PASSPHRASE)).toBe(SECRET);
  expect(() => secretOf(manifest, "wrong")).toThrow("another passphrase");
  expect(() => secretOf({ ...manifest, secret: null }, PASSPHRASE)).toThrow("contains no secret");
  for (const secret of ["x".repeat(40), "short", `${SECRET}\nDATABASE_URL=postgres://evil.test/`]) {
    const honestPrint = secret === "x".repeat(40) ? manifest.secretFingerprint : fingerprintOf(secret);
    const given = { ...manifest, secret: seal(secret, PASSPHRASE), secretFingerprint: honestPrint };
    expect(() => secretOf(given, PASSPHRASE), secret).toThrow("damaged");
  }
});

// Loads the command line and restores: a long time for what changes rarely.
const testLong = isLong ? test : () => {};
testLong("a restore that is killed can be repeated, with the backup's secret", async () => {
  const [target, dataDir] = [await preparedDatabase(), path.join(folder, "killed")];
  await mkdir(dataDir);
  await writeFile(path.join(dataDir, "secret"), "t".repeat(40));
  await writeFile(path.join(folder, "passphrase"), PASSPHRASE);
  const program = await bundledProgram("cli/main.ts");
  const run = () =>
    fork(
      program.file,
      ["restore", "--from", path.join(folder, "honest"), "--passphrase-file", path.join(folder, "passphrase")],
      {
        execArgv: ["--conditions=react-server"],
        stdio: "ignore",
        env: {
          ...process.env,
          DATABASE_URL: target,
          MIGRATION_DATABASE_URL: target,
          DATA_DIR: dataDir,
          WHETSTONE_SECRET: "t".repeat(40),
        },
      },
    );
  const gate = postgres(target, { max: 1 });
  try {
    // Holds the restore in its transaction, after the files.
    await gate`select pg_advisory_lock(${MIGRATION_LOCK})`;
    const killed = run();
    // Other tests wait in other databases of the same server.
    const waits = () => gate`
      select 1 from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;
    await vi.waitFor(async () => expect(await waits()).toHaveLength(1), { timeout: 30_000, interval: 50 });
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect(await gate`select 1 from projects`).toHaveLength(0);
    expect(await readFile(path.join(dataDir, "secret"), "utf8")).toBe("t".repeat(40));
  } finally {
    await gate.end();
  }
  const [code] = await once(run(), "exit");
  await program.remove();
  expect(code).toBe(0);
  expect((await readFile(path.join(dataDir, "secret"), "utf8")).trim()).toBe(SECRET);
  expect(await on(target, (sql) => sql`select 1 from projects`)).not.toHaveLength(0);
});
