import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { db } from "@/db/pool";
import { files } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { createClockWatch } from "@/server/platform/database/clock-watch";
import { beginUpload } from ".";
import { changeHeld, hold, whileHeld } from "./writers";

const HOUR_MS = 3_600_000;

/** Returns an upload with its writer, whose lease has ended by the database's clock. */
async function lapsedUpload() {
  const { ctx } = await testProject();
  const { file } = await beginUpload(ctx, { name: "rows.jsonl", mediaType: "application/jsonl", bytes: 10 });
  const writer = await hold(ctx, file.id);
  await db()
    .update(files)
    .set({ writerUntil: Date.now() - 1 })
    .where(eq(files.id, file.id));
  return { ctx, fileId: file.id, writer };
}

test("when the clock jumps ahead, an upload stays with its writer until its lease would have ended", async () => {
  const { ctx, fileId } = await lapsedUpload();
  const clock = createClockWatch(300);
  clock.isSteady(Date.now() - HOUR_MS, performance.now());
  await expect(hold(ctx, fileId, clock)).rejects.toMatchObject({ code: "conflict" });
  await vi.waitFor(async () => expect(await hold(ctx, fileId, clock)).toMatchObject({ id: fileId }));
});

test("a writer that lost its lease changes nothing, and the next one keeps its own", async () => {
  const { ctx, fileId, writer } = await lapsedUpload();
  const next = await hold(ctx, fileId);
  await expect(changeHeld(ctx, writer, { state: "storing", bytes: 3 })).rejects.toMatchObject({ code: "not_found" });
  await whileHeld(ctx, writer, async () => {});
  await expect(hold(ctx, fileId)).rejects.toMatchObject({ code: "conflict" });
  expect(await changeHeld(ctx, next, { name: "ours.jsonl" })).toMatchObject({ state: "uploading", bytes: 10 });
});
