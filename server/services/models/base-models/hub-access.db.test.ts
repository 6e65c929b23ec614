import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { auditLog } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection, deleteConnection, updateConnection } from "@/server/services/connections";
import { attachScripted } from "@/server/services/trainers/testing/attach-trainer";
import { ScriptedTrainer } from "@/server/services/trainers/testing/scripted-trainer";
import { createJob, runTrainingJob } from "@/server/services/training";
import { trainingChoice } from "@/server/services/training/testing/training-world";

const TOKEN = "hf_ofTheProjectAlone0123456789";
let trainer: ScriptedTrainer;
beforeAll(async () => {
  trainer = await new ScriptedTrainer().start();
});
afterAll(() => trainer.stop());
beforeEach(async () => {
  trainer.jobs.clear();
  trainer.features = ["hub_token"];
  await attachScripted(trainer);
});

const hub = (ctx: Ctx, use: "publish" | "download" | "both", secret = TOKEN, name = "Hugging Face") =>
  createConnection(ctx, { kind: "model-hub", name, secret, settings: { use } });

/** Creates a job, sends it, and returns what its trainer got beside the spec. */
async function accessOf(ctx: Ctx, mark: string) {
  const { job } = await createJob(ctx, await trainingChoice(ctx, mark));
  await runTrainingJob(ctx, job.id);
  return trainer.jobs.get(job.id)!;
}

test("a job is sent the project's token for downloads with the only hub that it is for, beside its spec", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  const { access, spec } = await accessOf(ctx, "a");
  expect(access).toEqual({ secret: TOKEN, hub_endpoint: "https://huggingface.co" });
  expect(JSON.stringify(spec)).not.toContain(TOKEN);
  const used = await ctx.db
    .select({ after: auditLog.after })
    .from(auditLog)
    .where(and(eq(auditLog.projectId, ctx.projectId), eq(auditLog.action, "connections.use")));
  expect(used).toEqual([{ after: { purpose: "download", host: "huggingface.co" } }]);
  const [stored] = await ctx.db.execute<{ found: boolean }>(sql`
    select exists (select 1 from training_jobs where project_id = ${ctx.projectId} and training_jobs::text like ${`%${TOKEN}%`})
      or exists (select 1 from audit_log where project_id = ${ctx.projectId} and audit_log::text like ${`%${TOKEN}%`}) as found`);
  expect(stored!.found).toBe(false);
});

test("a replaced token is the one that is sent, and a removed one is not", async () => {
  const { ctx } = await testProject();
  const { connection } = await hub(ctx, "both", "hf_theFirst0123456789");
  await updateConnection(ctx, { connectionId: connection.id, secret: TOKEN });
  expect((await accessOf(ctx, "a")).access.secret).toBe(TOKEN);
  await deleteConnection(ctx, { connectionId: connection.id });
  expect((await accessOf(ctx, "b")).access).toEqual({});
});

test("neither a token for publishing nor another project's is sent", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  await hub(ours, "publish");
  await hub(theirs, "download");
  expect((await accessOf(ours, "a")).access).toEqual({});
});

test("a trainer of before, which would refuse a token, gets the job without", async () => {
  trainer.features = [];
  await attachScripted(trainer);
  const { ctx } = await testProject();
  await hub(ctx, "download");
  expect((await accessOf(ctx, "a")).access).toEqual({});
});

test("a project has one connection for downloads", async () => {
  const { ctx } = await testProject();
  await hub(ctx, "download");
  const { connection } = await hub(ctx, "publish", TOKEN, "For publishing");
  const conflict = { code: "conflict", message: expect.stringContaining("“Hugging Face”") };
  await expect(hub(ctx, "both")).rejects.toMatchObject(conflict);
  await expect(updateConnection(ctx, { connectionId: connection.id, settings: { use: "both" } })).rejects.toMatchObject(
    conflict,
  );
});
