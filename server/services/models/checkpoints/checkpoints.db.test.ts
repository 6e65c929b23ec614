import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";
import { storedCheckpoint } from "../testing/stored-checkpoint";
import { getCheckpoint, listCheckpoints } from "./list-checkpoints";

const AT = Date.UTC(2026, 10, 24);
beforeEach(attachTrainer);

test("checkpoints are listed newest first, page by page, for all jobs or one", async () => {
  const { ctx } = await testProject();
  const [first, second] = [await storedJob(ctx), await storedJob(ctx, { name: "Second" })];
  const old = await storedCheckpoint(ctx, first, { createdAt: AT });
  const middle = await storedCheckpoint(ctx, second, { createdAt: AT + 1, metrics: { eval_loss: null } });
  const young = await storedCheckpoint(ctx, first, { createdAt: AT + 2, state: "pruned" });
  const page = await listCheckpoints(ctx, { limit: 2 });
  expect(page.checkpoints.map(({ id }) => id)).toEqual([young, middle]);
  expect(page.checkpoints[1]).toMatchObject({ jobName: "Second", metrics: { eval_loss: null }, parity: null });
  const rest = await listCheckpoints(ctx, { limit: 2, cursor: page.nextCursor! });
  expect([rest.checkpoints.map(({ id }) => id), rest.nextCursor]).toEqual([[old], null]);
  const ofOne = await listCheckpoints(ctx, { jobId: first });
  expect(ofOne.checkpoints.map(({ id }) => id)).toEqual([young, old]);
  expect(await getCheckpoint(ctx, { checkpointId: middle })).toEqual({ checkpoint: page.checkpoints[1] });
});

test("another project's checkpoints and jobs are not found", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  const jobId = await storedJob(theirs);
  const checkpointId = await storedCheckpoint(theirs, jobId);
  expect((await listCheckpoints(ours, {})).checkpoints).toEqual([]);
  await expect(listCheckpoints(ours, { jobId })).rejects.toMatchObject({ code: "not_found" });
  await expect(getCheckpoint(ours, { checkpointId })).rejects.toMatchObject({ code: "not_found" });
});

test("stored checkpoints are read without a trainer", async () => {
  const { ctx } = await testProject();
  await db().delete(trainers);
  expect((await listCheckpoints(ctx, {})).checkpoints).toEqual([]);
  await expect(getCheckpoint(ctx, { checkpointId: "ckpt_1" })).rejects.toMatchObject({ code: "not_found" });
});
