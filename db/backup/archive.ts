import { createReadStream, createWriteStream, existsSync, statSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";

/** Whatever is in a backup is for its owner only. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const BLOCK = 512;

/** A place where a backup is written: a folder, or one `.tar` file when the name says so. It appears whole or not at all. */
export async function createArchive(to: string) {
  if (existsSync(to)) throw new ArchiveProblem(`${to} is there already. Name a place where there is nothing.`);
  const folder = `${to}.partial-${process.pid}`;
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  return {
    pathOf: (name: string) => path.join(folder, name),
    async finish() {
      if (!isTar(to)) return rename(folder, to);
      const packed = `${to}.packing-${process.pid}`;
      await packTar(folder, packed);
      await rename(packed, to);
      await rm(folder, { recursive: true });
    },
    discard: () => rm(folder, { recursive: true, force: true }),
  };
}

const isTar = (name: string) => name.endsWith(".tar");

/** What is told to whoever gave the name of the backup. */
export class ArchiveProblem extends Error {
  override name = "ArchiveProblem";
}

export type Archive = { has: (name: string) => boolean; stream: (name: string) => Readable; bytes: number };

export async function openArchive(from: string): Promise<Archive> {
  if (!existsSync(from)) throw new ArchiveProblem(`There is nothing at ${from}.`);
  if (statSync(from).isDirectory()) {
    const sizes = (await readdir(from)).map((name) => statSync(path.join(from, name)).size);
    return {
      has: (name) => existsSync(path.join(from, name)),
      stream: (name) => createReadStream(path.join(from, name)),
      bytes: sizes.reduce((sum, size) => sum + size, 0),
    };
  }
  const members = await listTar(from);
  return {
    bytes: statSync(from).size,
    has: (name) => members.has(name),
    stream(name) {
      const member = members.get(name);
      if (!member) throw new ArchiveProblem(`The backup lacks ${name}.`);
      return createReadStream(from, {
        start: member.start,
        end: Math.max(member.start, member.start + member.size - 1),
      });
    },
  };
}

/** USTAR, as `tar` reads it. Sizes over 8 GiB are written in base 256, which GNU and BSD tar read too. */
async function packTar(folder: string, to: string) {
  const out = createWriteStream(to, { mode: PRIVATE_FILE });
  /** One at a time: the next is read when this one is written. */
  const write = (bytes: Buffer) =>
    new Promise<void>((resolve, reject) => out.write(bytes, (error) => (error ? reject(error) : resolve())));
  for (const name of (await readdir(folder)).sort()) {
    const { size, mtimeMs } = statSync(path.join(folder, name));
    await write(tarHeader(name, size, Math.floor(mtimeMs / 1000)));
    for await (const chunk of createReadStream(path.join(folder, name))) await write(chunk as Buffer);
    await write(Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK));
  }
  await write(Buffer.alloc(2 * BLOCK));
  await new Promise<void>((resolve, reject) => out.end((error?: Error | null) => (error ? reject(error) : resolve())));
}

const SIZE = { at: 124, length: 12 };

function tarHeader(name: string, size: number, modified: number) {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "ascii");
  header.write(name, 0, 100, "utf8");
  octal(PRIVATE_FILE, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  if (size < 8 ** 11) octal(size, SIZE.at, SIZE.length);
  else {
    header.writeUInt8(0x80, SIZE.at);
    header.writeBigUInt64BE(BigInt(size), SIZE.at + 4);
  }
  octal(modified, 136, SIZE.length);
  header.write("        0", 148, "ascii"); // the checksum counts as blanks; "0" is a plain file
  header.write("ustar\u000000", 257, "ascii");
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return header;
}

async function listTar(file: string) {
  const members = new Map<string, { start: number; size: number }>();
  const handle = await open(file);
  try {
    for (let at = 0; ; ) {
      const header = await readBlock(handle, at);
      if (!header || header[0] === 0) return members;
      if (header.toString("ascii", 257, 262) !== "ustar") throw new ArchiveProblem(`${file} is not a backup.`);
      const name = header.toString("utf8", 0, 100).replace(/\0.*$/s, "");
      const size =
        header[SIZE.at] === 0x80
          ? Number(header.readBigUInt64BE(SIZE.at + 4))
          : Number.parseInt(header.toString("ascii", SIZE.at, SIZE.at + SIZE.length), 8);
      members.set(name, { start: at + BLOCK, size });
      at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    }
  } finally {
    await handle.close();
  }
}

async function readBlock(handle: FileHandle, at: number) {
  const block = Buffer.alloc(BLOCK);
  const { bytesRead } = await handle.read(block, 0, BLOCK, at);
  return bytesRead === BLOCK ? block : undefined;
}

export const readText = async (stream: Readable) => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

export const readLine = async (file: string) => (await readFile(file, "utf8")).split(/\r?\n/, 1)[0] ?? "";
