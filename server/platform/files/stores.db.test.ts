import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seaweedfsPath } from "@/scripts/lib/testing/seaweedfs.mjs";
import { parseFilesUrl } from "./files-url";
import { folderStore } from "./folder-store";
import { s3Store } from "./s3-store";
import { type FileStore, isMissing } from "./store";
import { startSeaweedfs } from "./testing/seaweedfs";

const MIB = 1024 * 1024;

/** Returns the same bytes for the same seed; they hardly compress. */
function someBytes(length: number, seed = 1) {
  const bytes = Buffer.alloc(length);
  for (let at = 0, n = seed; at < length; at += 1) {
    n = (n * 1103515245 + 12345) & 0x7fffffff;
    bytes[at] = n >> 16;
  }
  return bytes;
}

async function* inChunks(bytes: Buffer, size = 100_000, breaksAt = Number.POSITIVE_INFINITY) {
  for (let at = 0; at < bytes.length; at += size) {
    if (at >= breaksAt) throw new Error("The client went away.");
    yield bytes.subarray(at, at + size);
  }
}

const whole = async (stream: Readable) => Buffer.concat(await stream.toArray());
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const namesUnder = async (store: FileStore, prefix: string) => {
  const names: string[] = [];
  for await (const { key } of store.list(prefix)) names.push(key);
  return names.sort();
};

let folder: string;
let seaweedfs: Awaited<ReturnType<typeof startSeaweedfs>> | undefined;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "whetstone-files-"));
  if (existsSync(seaweedfsPath())) seaweedfs = await startSeaweedfs();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await seaweedfs?.stop();
});

const STORES = [
  { name: "a folder", open: () => folderStore(folder), has: true },
  {
    name: "an S3 bucket",
    open: () => s3Store(parseFilesUrl(seaweedfs?.url as string)),
    has: existsSync(seaweedfsPath()),
  },
];

describe.each(STORES)("in $name", ({ open, has }) => {
  const stored = test.skipIf(!has);
  const project = () => `prj_${crypto.randomUUID()}`;

  stored.each([0, 1, 5 * MIB, 20 * MIB + 7])(
    "a file of %i bytes comes back as it was, whole and by range",
    async (bytes) => {
      const [store, mine] = [open(), project()];
      const content = someBytes(bytes);
      await store.append(`${mine}/uploads/a`, inChunks(content));
      expect(await store.find(`${mine}/objects/x`)).toBeUndefined();
      await store.complete(`${mine}/uploads/a`);
      await store.move(`${mine}/uploads/a`, `${mine}/objects/x`);
      expect(await namesUnder(store, `${mine}/`)).toEqual([`${mine}/objects/x`]);
      expect((await store.find(`${mine}/objects/x`))?.bytes).toBe(bytes);
      expect(sha256(await whole(await store.read(`${mine}/objects/x`)))).toBe(sha256(content));
      if (bytes < 10) return;
      const part = await whole(await store.read(`${mine}/objects/x`, { start: 3, end: 9 }));
      expect(part).toEqual(content.subarray(3, 10));
    },
  );

  stored("an upload that broke off goes on where it stood, in pieces of any size, by another process", async () => {
    const mine = project();
    const content = someBytes(21 * MIB);
    const upload = `${mine}/uploads/a`;
    let broken = 0;
    const pieces = [100_000, 3_000_000, 9_000_000, 500_000, Number.POSITIVE_INFINITY];
    for (const piece of pieces) {
      const store = open();
      const at = await store.offset(upload);
      await store.append(upload, inChunks(content.subarray(at), 70_000, piece)).catch(() => {
        broken += 1;
      });
      expect(await open().offset(upload)).toBeGreaterThanOrEqual(at);
    }
    expect(broken).toBe(4);
    const store = open();
    expect(await store.offset(upload)).toBe(content.length);
    await store.complete(upload);
    await store.complete(upload);
    expect(sha256(await whole(await store.read(upload)))).toBe(sha256(content));
    await store.move(upload, `${mine}/objects/x`);
    await store.move(upload, `${mine}/objects/x`);
    expect(await namesUnder(store, `${mine}/`)).toEqual([`${mine}/objects/x`]);
  });

  stored("an abandoned upload leaves nothing, and neither does a project that goes", async () => {
    const [store, mine, other] = [open(), project(), project()];
    for (const upload of [`${mine}/uploads/a`, `${mine}/uploads/b`, `${other}/uploads/a`])
      await store.append(upload, inChunks(someBytes(9 * MIB)));
    await store.abandon(`${mine}/uploads/a`);
    expect(await store.offset(`${mine}/uploads/a`)).toBe(0);
    expect((await namesUnder(store, `${mine}/`)).every((key) => key.startsWith(`${mine}/uploads/b`))).toBe(true);
    await store.complete(`${mine}/uploads/b`);
    await store.abandon(`${mine}/uploads/b`);
    expect(await namesUnder(store, `${mine}/`)).toEqual([]);
    await store.append(`${mine}/uploads/c`, inChunks(someBytes(9 * MIB)));
    await store.removeProject(mine);
    expect(await namesUnder(store, `${mine}/`)).toEqual([]);
    expect(await store.offset(`${other}/uploads/a`)).toBe(9 * MIB);
    const projects: string[] = [];
    for await (const one of store.projects()) projects.push(one);
    expect(projects).toContain(other);
  });

  stored("what is not there is missing, and removing it again is no error", async () => {
    const [store, mine] = [open(), project()];
    await expect(store.read(`${mine}/objects/x`)).rejects.toSatisfy(isMissing);
    await store.remove(`${mine}/objects/x`);
    await store.abandon(`${mine}/uploads/x`);
    await store.removeProject(mine);
  });
});

test("a name that points outside the folder is rejected", async () => {
  const store = folderStore(folder);
  await expect(store.read("../outside")).rejects.toThrow("points outside");
  await expect(store.find("prj_1/../../outside")).rejects.toThrow("points outside");
});

test.runIf(existsSync("/dev/full"))(
  "on a full disk an upload is refused, keeps what has arrived, and continues when there is room again",
  async () => {
    const store = folderStore(folder);
    const upload = "prj_full/uploads/a";
    await store.append(upload, inChunks(Buffer.from("what has arrived ")));
    const file = path.join(folder, upload);
    await rename(file, `${file}.there`);
    // The kernel's own device whose every write finds the disk full.
    await symlink("/dev/full", file);
    await expect(store.append(upload, inChunks(Buffer.from("and the rest")))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("no room left"),
    });
    await rename(`${file}.there`, file);
    expect(await store.offset(upload)).toBe("what has arrived ".length);
    await store.append(upload, inChunks(Buffer.from("and the rest")));
    await store.complete(upload);
    await store.move(upload, "prj_full/objects/a");
    expect(String(await whole(await store.read("prj_full/objects/a")))).toBe("what has arrived and the rest");
  },
);

test("an unreachable bucket is reported as unavailable without revealing its address", async () => {
  const store = s3Store(parseFilesUrl("s3://nowhere?endpoint=http://127.0.0.1:1"));
  await expect(store.find("prj_1/objects/x")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.not.stringContaining("127.0.0.1"),
  });
});
