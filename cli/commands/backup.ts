import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { roleOf } from "@/db/application-role";
import {
  ArchiveProblem,
  backUp,
  fingerprintOf,
  type ReadBackup,
  readBackup,
  readLine,
  restore,
  restoreFiles,
  secretOf,
} from "@/db/backup";
import { env } from "@/env";
import { fileStore } from "@/server/platform/files";
import { loggable } from "@/server/platform/logging/loggable";
import { recordBackup } from "@/server/services/backups";
import { rotateSecrets } from "@/server/services/secrets";
import { withDatabase } from "../database";
import { printResult, UsageError } from "../output";

const SECRET_LOST =
  "Without its WHETSTONE_SECRET (DATA_DIR/secret) a backup's API keys, sessions and connections' secrets cannot be used: store it safely, separate from the backup.";

export function addBackup(program: Command) {
  program
    .command("backup")
    .description("write a consistent snapshot of the installation's data; the server can keep running")
    .requiredOption("--to <place>", "the folder to create, or a file if it ends in .tar")
    .option("--passphrase-file <file>", "include WHETSTONE_SECRET, encrypted with the first line of this file")
    .option("--no-verify", "do not read the backup back to verify it")
    .action((given: BackupOptions, command: Command) => reportingPathErrors(() => backup(given, command)));

  program
    .command("restore")
    .description("restore a backup into a fresh installation, which must not contain any people or projects")
    .requiredOption("--from <place>", "what `backup` wrote")
    .option("--passphrase-file <file>", "decrypts the secret in the backup, which becomes this installation's")
    .option(
      "--accept-other-secret",
      "restore under another WHETSTONE_SECRET: the backup's API keys and connections' secrets will not work",
    )
    .action((given: RestoreOptions, command: Command) => reportingPathErrors(() => restoreBackup(given, command)));
}

type BackupOptions = { to: string; passphraseFile?: string; verify: boolean };
type RestoreOptions = { from: string; passphraseFile?: string; acceptOtherSecret?: boolean };

async function backup({ to, passphraseFile, verify }: BackupOptions, command: Command) {
  const { WHETSTONE_SECRET } = env();
  const passphrase = passphraseFile === undefined ? undefined : await readLine(passphraseFile);
  if (passphrase === "") throw new UsageError(`The first line of ${passphraseFile} is empty.`);
  const file = path.resolve(to);
  await backUp(ownerUrl(), file, { secret: WHETSTONE_SECRET, passphrase, store: fileStore() });
  const read = await readBackup(file, { prove: verify });
  const { bytes, rows, checksum, withSecret } = shownOf(read);
  const { tables, createdAt } = read.manifest;
  await writeDown({ kind: "backup", ...shownOf(read), verifiedAt: verify ? Date.now() : null });
  const known = { place: file, createdAt, tables: tables.length, rows, bytes, checksum, verified: verify, withSecret };
  printResult(command, { backup: known }, [
    `${file}: ${rows.toLocaleString("en")} rows in ${tables.length} tables, ${bytes.toLocaleString("en")} bytes${verify ? ", verified" : ""}.`,
    ...filesLeftOut(read),
    ...(withSecret ? [] : [SECRET_LOST]),
  ]);
}

/** Returns a note for the operator about files whose content is not in the backup. */
function filesLeftOut({ manifest: { files } }: ReadBackup) {
  const left = files.filter(({ member }) => member === null).length;
  return left === 0
    ? []
    : [`The content of ${left} files is not included, only their digests: it remains in the bucket of FILES_URL.`];
}

const shownOf = ({ archive, manifest, checksum }: ReadBackup) => ({
  takenAt: manifest.createdAt,
  bytes: archive.bytes,
  rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0),
  checksum,
  withSecret: manifest.secret !== null,
});

/** Schema and migrations belong to the owner role. */
const ownerUrl = () => env().MIGRATION_DATABASE_URL ?? env().DATABASE_URL;

/** Records the backup or restore for the Data page. It has succeeded even if recording fails. */
async function writeDown(done: Parameters<typeof recordBackup>[1]) {
  try {
    await withDatabase((db) => recordBackup(db, done));
  } catch (error) {
    const safe = loggable(error);
    const why = safe instanceof Error ? safe.message : String(safe);
    process.stderr.write(`The command succeeded, but the workbench will not show it: ${why}\n`);
  }
}

async function restoreBackup({ from, passphraseFile, acceptOtherSecret }: RestoreOptions, command: Command) {
  const { DATABASE_URL, WHETSTONE_SECRET, DATA_DIR } = env();
  const [owner, application] = [roleOf(ownerUrl()).name, roleOf(DATABASE_URL).name];
  const read = await readBackup(path.resolve(from));
  const { manifest } = read;
  const same = manifest.secretFingerprint === fingerprintOf(WHETSTONE_SECRET);
  const secret = same || passphraseFile === undefined ? undefined : secretOf(manifest, await readLine(passphraseFile));
  if (!same && secret === undefined && !acceptOtherSecret) {
    throw new UsageError(
      `The backup was made under another WHETSTONE_SECRET. Set that secret, or put its file at ${path.join(DATA_DIR, "secret")}, or pass --accept-other-secret: API keys then have to be recreated, and connections' secrets entered again.`,
    );
  }
  const files = await restoreFiles(fileStore(), read);
  // Before the commit: a command that is killed in between can be repeated, since the database is still empty.
  let undoSecret = () => {};
  const finish = () => {
    if (secret !== undefined) undoSecret = keepSecret(DATA_DIR, secret);
  };
  try {
    await restore(ownerUrl(), read, application === owner ? undefined : application, finish);
  } catch (error) {
    undoSecret();
    await files.undo();
    throw error;
  }
  // The backup's ring keys can only be decrypted with its own secret: new secrets need a key of this installation.
  if (secret === undefined && !same) await withDatabase(rotateSecrets);
  const { rows } = shownOf(read);
  await writeDown({ kind: "restore", ...shownOf(read), verifiedAt: Date.now() });
  printResult(command, { restored: { rows, tables: manifest.tables.length, createdAt: manifest.createdAt } }, [
    `Restored ${rows.toLocaleString("en")} rows in ${manifest.tables.length} tables; counts and checksums match the backup.`,
    ...filesLeftOut(read),
    ...(secret === undefined
      ? []
      : ["Its secret is now this installation's. WHETSTONE_SECRET takes precedence if set."]),
    "Restart any server that runs on this database.",
  ]);
}

/** Writes the secret of DATA_DIR. The returned function restores the previous one. */
function keepSecret(dataDir: string, secret: string): () => void {
  const file = path.join(dataDir, "secret");
  const before = existsSync(file) ? readFileSync(file) : undefined;
  const mode = before === undefined ? 0o600 : statSync(file).mode & 0o777;
  const write = (content: string | Buffer) => {
    const next = `${file}.${process.pid}`;
    writeFileSync(next, content, { mode });
    renameSync(next, file);
  };
  write(`${secret}\n`);
  return () => (before === undefined ? rmSync(file, { force: true }) : write(before));
}

/** Reports a problem with a path or a file as a usage error, which the operator can fix. */
async function reportingPathErrors(work: () => Promise<void>) {
  try {
    await work();
  } catch (error) {
    const ofFiles = error instanceof Error && "syscall" in error && "path" in error;
    if (error instanceof ArchiveProblem || ofFiles) throw new UsageError((error as Error).message);
    throw error;
  }
}
