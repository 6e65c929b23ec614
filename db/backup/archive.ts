import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, type Pack, pack } from "tar-stream";

/** Backups are readable by their owner only. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** A problem with the named backup, shown to the operator. */
export class ArchiveProblem extends Error {
  override name = "ArchiveProblem";
}

export type ArchiveWriter = {
  /** Returns the path for a member whose size is not known yet; `add` packs it once it is written. */
  pathOf: (name: string) => string;
  add: (name: string) => Promise<void>;
  finish: () => Promise<void>;
  discard: () => Promise<void>;
};

const isTar = (name: string) => name.endsWith(".tar");

/** Begins a backup: a folder, or one file if the name ends in `.tar`. It appears completely or not at all. */
export async function createArchive(to: string): Promise<ArchiveWriter> {
  if (existsSync(to)) throw new ArchiveProblem(`${to} exists already. Name a path that does not exist.`);
  const folder = `${to}.partial-${process.pid}`;
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const pathOf = (name: string) => path.join(folder, name);
  const discard = () => rm(folder, { recursive: true, force: true });
  if (!isTar(to)) return { pathOf, add: async () => {}, finish: () => rename(folder, to), discard };

  const tar = openTar(pathOf("archive.tar"));
  return {
    pathOf,
    /** Packs a member and deletes its file, so that at most one member is on disk twice. */
    async add(name) {
      const { size, mtime } = await stat(pathOf(name));
      await tar.add(name, size, mtime, createReadStream(pathOf(name)));
      await rm(pathOf(name));
    },
    async finish() {
      await tar.finish();
      await rename(pathOf("archive.tar"), to);
      await discard();
    },
    async discard() {
      await tar.abandon();
      await discard();
    },
  };
}

function openTar(file: string) {
  const packed: Pack = pack();
  const written = pipeline(packed, createWriteStream(file, { mode: PRIVATE_FILE }));
  written.catch(() => {}); // rejects in `add` or `finish`
  return {
    async add(name: string, size: number, mtime: Date, content: Readable) {
      const entry = packed.entry({ name, size, mtime, mode: PRIVATE_FILE });
      await Promise.race([pipeline(content, entry), written]);
    },
    async finish() {
      packed.finalize();
      await written;
    },
    async abandon() {
      packed.destroy();
      await written.catch(() => {});
    },
  };
}

/** A file of a backup. Its content must be consumed before the next member is requested, or not at all. */
export type Member = { name: string; content: Readable };
/** A backup to read; its members, in stored order, can be iterated any number of times. */
export type Archive = { bytes: number; members: () => AsyncGenerator<Member> };

export async function openArchive(from: string): Promise<Archive> {
  if (!existsSync(from)) throw new ArchiveProblem(`${from} does not exist.`);
  const { size, isFolder } = await stat(from).then((found) => ({ size: found.size, isFolder: found.isDirectory() }));
  if (!isFolder) return { bytes: size, members: () => membersOfTar(from) };
  const names = (await readdir(from, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(from, path.join(entry.parentPath, entry.name)));
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(from, name))).size));
  return {
    bytes: sizes.reduce((sum, one) => sum + one, 0),
    async *members() {
      for (const name of names) yield { name, content: createReadStream(path.join(from, name)) };
    },
  };
}

async function* membersOfTar(from: string): AsyncGenerator<Member> {
  const file = createReadStream(from);
  const unpacked = extract();
  pipeline(file, unpacked).catch(() => {}); // surfaces in the entries' streams
  try {
    for await (const entry of explained(from, unpacked)) {
      const { name, type } = entry.header;
      if (type === "directory") continue;
      if (type !== "file") throw new ArchiveProblem(`${from} is not a backup: ${name} is no file, but a ${type}.`);
      yield { name, content: Readable.from(explained(from, entry), { objectMode: false }) };
      entry.resume();
    }
  } finally {
    file.destroy();
  }
}

/** Yields the same items; reports a failure as a problem with the backup. */
async function* explained<T>(from: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) throw error;
    throw new ArchiveProblem(`${from} is not a backup, or is incomplete: ${(error as Error).message}.`);
  }
}

/** Below the length that a string can have; a manifest takes some 300 bytes a file. */
const TEXT_MAX_BYTES = 400 * 1024 * 1024;

export const readText = async (stream: Readable) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > TEXT_MAX_BYTES) throw new ArchiveProblem("The backup's manifest is too large.");
  }
  return Buffer.concat(chunks).toString("utf8");
};

export const readLine = async (file: string) => (await readFile(file, "utf8")).split(/\r?\n/, 1)[0] ?? "";
