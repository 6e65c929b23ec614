import { createHash, randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { db } from "@/db/pool";
import { auditLog, files } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { type FileStore, fileStore } from "@/server/platform/files";
import type { IncomingBody } from "@/server/platform/stream-verb";
import {
  beginUpload,
  cleanFiles,
  cleanFilesOfNoProject,
  continueUpload,
  deleteFile,
  downloadFile,
  eraseFilesBefore,
  eraseProjectFiles,
  finishUpload,
  getFile,
  listFiles,
  uploadFile,
} from "..";

const MIB = 1024 * 1024;

export const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** A body in chunks that breaks off after so many bytes, as if the client had been killed. */
export const bodyOf = (bytes: Uint8Array, breaksAfter = Number.POSITIVE_INFINITY): { body: IncomingBody } => ({
  body: {
    mediaType: "application/octet-stream",
    whole: (work) => work(bytes),
    async *chunks() {
      for (let at = 0; at < bytes.length; at += 65_536) {
        if (at >= breaksAfter) throw new Error("The client went away.");
        yield bytes.subarray(at, at + 65_536);
      }
    },
  },
});

export const contentOf = async (ctx: Ctx, fileId: string, range?: string) => {
  const { body } = await downloadFile(ctx, { fileId }, { range });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export async function keysOf({ projectId }: Ctx) {
  const keys: string[] = [];
  for await (const { key } of fileStore().list(`${projectId}/`)) keys.push(key.slice(projectId.length + 1));
  return keys.sort();
}

const rowsOf = (ctx: Ctx) => db().select().from(files).where(eq(files.projectId, ctx.projectId));
/** Ages the project's files by so many ms. */
const age = (ctx: Ctx, ms: number) =>
  db()
    .update(files)
    .set({ updatedAt: Date.now() - ms, createdAt: Date.now() - ms, writerUntil: null })
    .where(eq(files.projectId, ctx.projectId));

/** The behaviour of files with any store. */
export function describeFiles(kind: FileStore["kind"]) {
  test("they lie where the installation says", () => {
    expect(fileStore().kind).toBe(kind);
  });

  test("a file is stored, listed, read whole and by range, and deleted; to another project it does not exist", async () => {
    const [{ ctx }, other] = [await testProject(), await testProject()];
    const bytes = randomBytes(300_000);
    const input = { name: "Gespräche März.jsonl", mediaType: "application/jsonl", sha256: sha256Of(bytes) };
    const { file } = await uploadFile(ctx, input, bodyOf(bytes));
    expect(file).toMatchObject({ ...input, state: "stored", kind: "import", bytes: bytes.length });
    expect((await listFiles(ctx, {})).files).toEqual([file]);
    expect(await getFile(ctx, { fileId: file.id })).toEqual({ file, uploadedBytes: bytes.length });
    expect(await contentOf(ctx, file.id)).toEqual(bytes);
    expect(await contentOf(ctx, file.id, "bytes=-10")).toEqual(bytes.subarray(-10));
    await expect(downloadFile(ctx, { fileId: file.id }, { range: "bytes=300000-" })).rejects.toMatchObject({
      code: "range_not_satisfiable",
    });

    expect((await listFiles(other.ctx, {})).files).toEqual([]);
    const { id: fileId } = file;
    const theirs = [
      () => getFile(other.ctx, { fileId }),
      () => downloadFile(other.ctx, { fileId }),
      () => deleteFile(other.ctx, { fileId }),
      () => finishUpload(other.ctx, { fileId }),
      () => continueUpload(other.ctx, { fileId, offset: 0 }, bodyOf(bytes)),
    ];
    for (const attempt of theirs) await expect(attempt()).rejects.toMatchObject({ code: "not_found" });

    await deleteFile(ctx, { fileId });
    expect(await keysOf(ctx)).toEqual([]);
    expect(await rowsOf(ctx)).toEqual([]);
    await expect(getFile(ctx, { fileId })).rejects.toMatchObject({ code: "not_found" });
    const recorded = await db().select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId));
    expect(recorded.map(({ action, targetId }) => [action, targetId]).sort()).toEqual([
      ["files.delete", fileId],
      ["files.upload", fileId],
    ]);
  });

  test("an upload that breaks off, and one that is not what was declared, leave nothing", async () => {
    const { ctx } = await testProject();
    const bytes = randomBytes(12 * MIB);
    await expect(uploadFile(ctx, { name: "a" }, bodyOf(bytes, 10 * MIB))).rejects.toThrow("went away");
    const sha256 = sha256Of(randomBytes(1));
    await expect(uploadFile(ctx, { name: "a", sha256 }, bodyOf(bytes))).rejects.toMatchObject({
      code: "unprocessable",
      errors: [{ path: "/sha256", message: expect.stringContaining(sha256Of(bytes)) }],
    });
    expect(await keysOf(ctx)).toEqual([]);
    expect(await rowsOf(ctx)).toEqual([]);
  });

  test("the same content lies in a project once, until its last file goes, and in each project for itself", async () => {
    const [{ ctx }, other] = [await testProject(), await testProject()];
    const bytes = randomBytes(1000);
    const one = (await uploadFile(ctx, { name: "one" }, bodyOf(bytes))).file;
    const two = (await uploadFile(ctx, { name: "two" }, bodyOf(bytes))).file;
    const theirs = (await uploadFile(other.ctx, { name: "theirs" }, bodyOf(bytes))).file;
    expect(await keysOf(ctx)).toEqual([expect.stringMatching(`^objects/${sha256Of(bytes)}-`)]);
    expect(await keysOf(other.ctx)).toHaveLength(1);
    await deleteFile(ctx, { fileId: one.id });
    expect(await contentOf(ctx, two.id)).toEqual(bytes);
    await deleteFile(ctx, { fileId: two.id });
    expect(await keysOf(ctx)).toEqual([]);
    expect(await contentOf(other.ctx, theirs.id)).toEqual(bytes);
  });

  test("an upload that is interrupted goes on where it stood, and becomes a file once", async () => {
    const { ctx } = await testProject();
    const bytes = randomBytes(20 * MIB);
    const { file } = await beginUpload(ctx, { name: "big", bytes: bytes.length, sha256: sha256Of(bytes) });
    const { id: fileId } = file;
    await expect(continueUpload(ctx, { fileId, offset: 0 }, bodyOf(bytes, 9 * MIB))).rejects.toThrow("went away");
    const { uploadedBytes } = await getFile(ctx, { fileId });
    expect(uploadedBytes).toBeGreaterThanOrEqual(9 * MIB);
    await expect(continueUpload(ctx, { fileId, offset: 0 }, bodyOf(bytes))).rejects.toMatchObject({
      code: "conflict",
      errors: [{ path: "/offset", message: `Send ${uploadedBytes}.` }],
    });
    await expect(finishUpload(ctx, { fileId })).rejects.toMatchObject({ code: "conflict" });
    await expect(
      continueUpload(
        ctx,
        { fileId, offset: uploadedBytes },
        bodyOf(Buffer.concat([bytes, bytes]).subarray(uploadedBytes)),
      ),
    ).rejects.toMatchObject({ code: "unprocessable" });
    const { uploadedBytes: now } = await getFile(ctx, { fileId });
    const rest = await continueUpload(ctx, { fileId, offset: now }, bodyOf(bytes.subarray(now)));
    expect(rest.uploadedBytes).toBe(bytes.length);
    const done = await finishUpload(ctx, { fileId });
    expect(done.file).toMatchObject({ state: "stored", bytes: bytes.length, sha256: sha256Of(bytes) });
    expect(await finishUpload(ctx, { fileId })).toEqual(done);
    expect(sha256Of(await contentOf(ctx, fileId))).toBe(sha256Of(bytes));
    expect(await keysOf(ctx)).toEqual([`objects/${sha256Of(bytes)}-${fileId}`]);
  });

  test("two requests cannot write to one upload, and a writer that died is out of the way after its lease", async () => {
    const { ctx } = await testProject();
    const bytes = randomBytes(100_000);
    const { file } = await beginUpload(ctx, { name: "a", bytes: bytes.length });
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let started = () => {};
    const isWriting = new Promise<void>((resolve) => {
      started = resolve;
    });
    const slow = {
      ...bodyOf(bytes).body,
      async *chunks() {
        started();
        await held;
        yield bytes;
      },
    };
    const first = continueUpload(ctx, { fileId: file.id, offset: 0 }, { body: slow });
    await isWriting;
    const second = () => continueUpload(ctx, { fileId: file.id, offset: 0 }, bodyOf(bytes));
    await expect(second()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("Another") });
    await expect(finishUpload(ctx, { fileId: file.id })).rejects.toMatchObject({ code: "conflict" });
    go();
    expect((await first).uploadedBytes).toBe(bytes.length);
    // As after kill -9: nothing releases it.
    await db()
      .update(files)
      .set({ writer: "dead", writerUntil: Date.now() - 1 })
      .where(eq(files.id, file.id));
    expect((await finishUpload(ctx, { fileId: file.id })).file.state).toBe("stored");
  });

  test("a file that is deleted while it is uploaded is gone, bytes too", async () => {
    const { ctx } = await testProject();
    const bytes = randomBytes(100_000);
    const chunks = async function* () {
      yield bytes;
      const [row] = await rowsOf(ctx);
      await deleteFile(ctx, { fileId: row!.id });
      yield bytes;
    };
    const upload = uploadFile(ctx, { name: "a" }, { body: { ...bodyOf(bytes).body, chunks } });
    await expect(upload).rejects.toMatchObject({ code: "not_found" });
    expect(await keysOf(ctx)).toEqual([]);
    expect(await rowsOf(ctx)).toEqual([]);
  });

  test("finishing goes on where a crash left it, between any two of its steps", async () => {
    const { ctx } = await testProject();
    const bytes = randomBytes(50_000);
    const store = fileStore();
    const STEPS = ["complete", "move"] as const;
    for (const [n, step] of STEPS.entries()) {
      for (const isDone of [false, true]) {
        const { file } = await beginUpload(ctx, { name: `${step} ${isDone}`, bytes: bytes.length });
        await continueUpload(
          ctx,
          { fileId: file.id, offset: 0 },
          bodyOf(Buffer.concat([bytes.fill(2 * n + Number(isDone))])),
        );
        const original: (...given: [string, string]) => Promise<void> = store[step];
        const killed = vi.spyOn(store, step).mockImplementation(async (...given: unknown[]) => {
          if (isDone) await original(...(given as [string, string]));
          throw new Error("killed");
        });
        await expect(finishUpload(ctx, { fileId: file.id })).rejects.toThrow("killed");
        killed.mockRestore();
        expect((await finishUpload(ctx, { fileId: file.id })).file.state).toBe("stored");
        expect(await contentOf(ctx, file.id)).toEqual(bytes);
      }
    }
    expect((await keysOf(ctx)).every((key) => key.startsWith("objects/"))).toBe(true);
  });

  test("what uploads and deletions that died have left is cleaned, and lost content is noticed", async () => {
    const { ctx } = await testProject();
    const bytes = randomBytes(9 * MIB);
    const kept = (await uploadFile(ctx, { name: "kept" }, bodyOf(bytes))).file;
    const { file } = await beginUpload(ctx, { name: "abandoned", bytes: bytes.length });
    await continueUpload(ctx, { fileId: file.id, offset: 0 }, bodyOf(bytes.subarray(0, 100)));
    expect(await cleanFiles(ctx)).toEqual({ unfinished: 0, orphans: 0, missing: 0 });
    await age(ctx, 2 * DAY_MS);
    expect(await cleanFiles(ctx)).toEqual({ unfinished: 1, orphans: 0, missing: 0 });
    expect(await keysOf(ctx)).toEqual([`objects/${kept.sha256}-${kept.id}`]);

    // Killed between the row and the bytes of a deletion.
    await db().update(files).set({ state: "deleting" }).where(eq(files.id, kept.id));
    await age(ctx, DAY_MS);
    expect(await cleanFiles(ctx)).toMatchObject({ unfinished: 1 });
    expect(await keysOf(ctx)).toEqual([]);

    const lost = (await uploadFile(ctx, { name: "lost" }, bodyOf(bytes))).file;
    await fileStore().remove(`${ctx.projectId}/objects/${lost.sha256}-${lost.id}`);
    expect(await cleanFiles(ctx)).toEqual({ unfinished: 0, orphans: 0, missing: 1 });
    await expect(downloadFile(ctx, { fileId: lost.id })).rejects.toThrow("missing from the store");
  });

  test("a project's files go with it, and old ones with its housekeeping", async () => {
    const [{ ctx }, other] = [await testProject(), await testProject()];
    const bytes = randomBytes(1000);
    for (const each of [ctx, other.ctx]) await uploadFile(each, { name: "a" }, bodyOf(bytes));
    expect(await eraseFilesBefore(ctx, Date.now() - DAY_MS, 10)).toBe(0);
    await age(ctx, 2 * DAY_MS);
    await uploadFile(ctx, { name: "young" }, bodyOf(bytes));
    expect(await eraseFilesBefore(ctx, Date.now() - DAY_MS, 10)).toBe(1);
    expect((await listFiles(ctx, {})).files.map(({ name }) => name)).toEqual(["young"]);
    await eraseProjectFiles(ctx);
    expect(await keysOf(ctx)).toEqual([]);
    expect(await keysOf(other.ctx)).toHaveLength(1);
    expect(await cleanFilesOfNoProject(db())).toBe(0);
  });

  test("a project writes a few files at the same time and begins a number of uploads", async () => {
    const { ctx } = await testProject();
    const { ctx: other } = await testProject();
    const { file } = await beginUpload(ctx, { name: "a", bytes: 1 });
    const { id: _, ...row } = (await rowsOf(ctx))[0]!;
    const more = (count: number, values: Partial<typeof row>) =>
      db()
        .insert(files)
        .values(Array.from({ length: count }, (_, n) => ({ ...row, ...values, id: `fil_${count}_${n}` })));
    await more(8, { writer: "x", writerUntil: Date.now() + 60_000 });
    await expect(uploadFile(ctx, { name: "b" }, bodyOf(Buffer.alloc(1)))).rejects.toMatchObject({
      code: "rate_limited",
    });
    await uploadFile(other, { name: "b" }, bodyOf(Buffer.alloc(1)));
    await db()
      .update(files)
      .set({ writerUntil: null })
      .where(and(eq(files.projectId, ctx.projectId), eq(files.writer, "x")));
    await more(91, {});
    await expect(beginUpload(ctx, { name: "c", bytes: 1 })).rejects.toMatchObject({ code: "conflict" });
    await deleteFile(ctx, { fileId: file.id });
    await beginUpload(ctx, { name: "c", bytes: 1 });
  });
}
