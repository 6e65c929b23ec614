import { and, eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { modelExports } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import { createExport, getExport } from "@/server/services/model-exports";
import { HUB_TOKEN, storedHub } from "@/server/services/model-exports/testing/stored-hub";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { listCertificates } from "@/server/services/proof";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { inngest } from "../../client";
import { functions } from "..";
import { killRepeatedly } from "../testing/kill-repeatedly";

let trainer: ScriptedTrainer;
let engine: Engine | undefined;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  await attachScripted(trainer);
  trainer.exports.succeeds = true;
  trainer.exports.all.clear();
  trainer.exports.commits.length = 0;
});
afterEach(async () => {
  await engine?.stop();
  engine = undefined;
});

async function world() {
  const { ctx } = await testProject();
  const [{ id: trainerId } = { id: "" }] = await attachedTrainers(db());
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, { trainerId }));
  const destination = { connectionId: await storedHub(ctx), repoId: "acme/support", private: true };
  const asked = { checkpointId, format: "gguf", quantization: "q4_k_m", destination } as const;
  const { export: made } = await createExport(ctx, asked);
  const read = async () => (await getExport(ctx, { exportId: made.id })).export;
  return { ctx, exportId: made.id, checkpointId, read };
}

test("an export is compared and published in the background, and its token is stored in no job or log", async () => {
  const { ctx, exportId, read } = await world();
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  await until(async () => (await read()).finishedAt !== null);
  expect(await read()).toMatchObject({ status: "succeeded", certificateId: expect.any(String) });
  expect(trainer.exports.all.get(exportId)?.secrets).toEqual([HUB_TOKEN]);
  await engine.stop();
  for (const table of ["job_runs", "job_steps", "job_events", "audit_log"]) {
    const rows = await ctx.db.execute(sql`select to_jsonb(t)::text as row from ${sql.identifier(table)} t`);
    expect(rows.length, table).toBeGreaterThan(0);
    expect(JSON.stringify(rows), table).not.toContain(HUB_TOKEN);
  }
}, 90_000);

const KILLS = 3;
const [LOOK_MS, UPLOAD_LOOKS] = [50, 30];

test("a worker that is killed repeatedly compares once and publishes in one commit", async () => {
  const { ctx, exportId, checkpointId, read } = await world();
  trainer.exports.succeeds = false;
  const isExport = and(eq(modelExports.projectId, ctx.projectId), eq(modelExports.id, exportId));
  const isRunning = async () => (await read()).finishedAt === null;
  const progress = async () => Number((await ctx.db.select().from(modelExports).where(isExport))[0]?.updatedAt ?? 0);
  // The trainer commits some time after the first request, whoever follows it then.
  let looks = 0;
  const upload = setInterval(() => {
    if (trainer.exports.all.has(exportId) && ++looks === UPLOAD_LOOKS) trainer.exports.commit(exportId);
  }, LOOK_MS);
  const args = ["export", ctx.projectId, exportId];
  expect(await killRepeatedly({ args, isRunning, progress, withinMs: 40 }, KILLS)).toBeGreaterThan(0);
  clearInterval(upload);
  expect(await read()).toMatchObject({ status: "succeeded", commitOid: "d".repeat(40) });
  expect(trainer.exports.commits).toEqual([exportId]);
  expect((await listCertificates(ctx, { checkpointId })).certificates).toHaveLength(1);
}, 240_000);
