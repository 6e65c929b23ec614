import { expect, test } from "vitest";
import type { Ctx } from "@/server/platform/context";
import { listFixes, updateFindings } from "@/server/services/diagnostics";
import { resolved } from "@/server/services/diagnostics/fixes/testing";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { switchTo } from "./change-deployment";
import { readDeployment } from "./read-deployments";
import { storedDeployment } from "./testing/stored-deployment";
import { wireDeploymentOf } from "./wire-deployment";

const proof = (findingId: string, verdict: "proven" | "not_enough" = "proven") =>
  ({ kind: "finding", findingId, status: "succeeded", verdict, summary: {}, finishedAt: 1 }) as const;

/** A deployment of the checkpoint starts to answer. Returns its id. */
async function deployed(ctx: Ctx, checkpointId: string, changes: Parameters<typeof storedDeployment>[2] = {}) {
  const id = await storedDeployment(ctx, checkpointId, {
    status: "verifying",
    startedAt: null,
    verifiedAt: null,
    deadlineAt: Date.now() + 60_000,
    ...changes,
  });
  const given = wireDeploymentOf({ deployment: { deployment_id: id, status: "running", error: null } });
  expect(await switchTo(ctx, await readDeployment(ctx, id), given)).toBe(true);
  return id;
}

const watched = async (ctx: Ctx, findingId: string) =>
  (await listFixes(ctx, { findingId })).fixes.map(({ by, value, kind, endReason }) => ({ by, value, kind, endReason }));
const OPEN = { by: "model", value: "shop-agent", kind: "weights", endReason: null };
const ENDED = { ...OPEN, endReason: "replaced" };

test("what a checkpoint was proven to fix is watched from when it answers, until another checkpoint does", async () => {
  const { ctx, findingId } = await resolved({ open: true });
  const jobId = await storedJob(ctx, {});
  const proven = await storedCheckpoint(ctx, jobId);
  await storedEvaluation(ctx, proven, proof(findingId));
  await deployed(ctx, proven);
  expect(await watched(ctx, findingId)).toEqual([OPEN]);

  // A new process of the same weights.
  await deployed(ctx, proven);
  expect(await watched(ctx, findingId)).toEqual([OPEN]);

  const unproven = await storedCheckpoint(ctx, jobId, { stepNumber: 13 });
  await storedEvaluation(ctx, unproven, proof(findingId, "not_enough"));
  await deployed(ctx, unproven);
  expect(await watched(ctx, findingId)).toEqual([ENDED]);

  await deployed(ctx, proven);
  expect(await watched(ctx, findingId)).toEqual([OPEN, ENDED]);
});

test("a playground starts no watch, and another project's deployment neither starts nor ends one", async () => {
  const { ctx, findingId } = await resolved({ open: true });
  const other = await resolved({ open: true });
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, {}));
  await storedEvaluation(ctx, checkpointId, proof(findingId));
  await deployed(ctx, checkpointId, { purpose: "playground", idleSeconds: 60, name: "shop-playground" });
  expect(await watched(ctx, findingId)).toEqual([]);

  await deployed(ctx, checkpointId);
  await deployed(other.ctx, await storedCheckpoint(other.ctx, await storedJob(other.ctx, {})));
  expect(await watched(ctx, findingId)).toEqual([OPEN]);
  expect(await watched(other.ctx, other.findingId)).toEqual([]);
});

test("a fix of weights is told apart from the resolution that follows it", async () => {
  const { ctx, findingId } = await resolved({ open: true });
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, {}));
  await storedEvaluation(ctx, checkpointId, proof(findingId));
  await deployed(ctx, checkpointId);
  await updateFindings(ctx, { findingIds: [findingId], set: { resolutionStatus: "resolved" } });
  expect(await watched(ctx, findingId)).toEqual([OPEN]);
});
