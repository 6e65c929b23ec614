import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { trainers, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { addTrainer, listTrainers, removeTrainer } from ".";
import { authenticateAgent } from "./agents/authenticate-agent";

test("an owner of the installation adds a trainer, whose key works until the trainer is removed", async () => {
  const { ctx, userId } = await testProject();
  const account = { db: db(), userId };
  expect(await listTrainers(ctx, {})).toEqual({ trainers: [], mayManage: false });
  await expect(addTrainer(account, { name: "Box" })).rejects.toMatchObject({ code: "forbidden" });
  await db().update(users).set({ installationOwner: true }).where(eq(users.id, userId));

  const { trainer, key, command } = await addTrainer(account, { name: "Box" });
  expect(command).toBe(`WHETSTONE_TRAINER_KEY=${key} npm run trainer -- --agent http://127.0.0.1:3000`);
  expect(trainer).toMatchObject({ kind: "agent", name: "Box", online: false, keyHint: key.slice(-4) });
  const listed = await listTrainers(ctx, {});
  expect(listed).toMatchObject({ mayManage: true, trainers: [{ id: trainer.id }] });
  const stored = JSON.stringify(await db().select().from(trainers));
  expect(stored + JSON.stringify(listed)).not.toContain(key);
  expect((await authenticateAgent(db(), `Bearer ${key}`)).id).toBe(trainer.id);

  await removeTrainer(account, { trainerId: trainer.id });
  await expect(authenticateAgent(db(), `Bearer ${key}`)).rejects.toMatchObject({ code: "not_found" });
  await expect(removeTrainer(account, { trainerId: trainer.id })).rejects.toMatchObject({ code: "not_found" });
  expect(await listTrainers(ctx, {})).toEqual({ trainers: [], mayManage: true });
});

test("a reader of a project sees its trainers and may not manage them", async () => {
  await addTrainer({ db: db(), operator: true }, { name: "Box" });
  const { asKey } = await testProject();
  expect((await listTrainers(asKey("workspace:read"), {})).mayManage).toBe(false);
  expect((await listTrainers(asKey("project:data:read"), {})).trainers).toHaveLength(1);
  await expect(listTrainers(asKey("diagnostics:read"), {})).rejects.toMatchObject({ code: "forbidden" });
});

test("members see how many of their project's jobs a trainer is working on, not those of others", async () => {
  const { trainer } = await addTrainer({ db: db(), operator: true }, { name: "Shared box" });
  const [own, other] = [await testProject("viewer"), await testProject()];
  for (const status of ["running", "queued"] as const) await storedJob(own.ctx, { trainerId: trainer.id, status });
  for (const status of ["running", "pausing"] as const) await storedJob(other.ctx, { trainerId: trainer.id, status });
  await db().update(trainers).set({ jobsRunning: 3 }).where(eq(trainers.id, trainer.id));
  const shown = async ({ ctx }: typeof own) =>
    (await listTrainers(ctx, {})).trainers.find(({ id }) => id === trainer.id)?.jobsRunning;

  expect(await shown(own)).toBe(1);
  expect(await shown(other)).toBe(2);
  await db().update(users).set({ installationOwner: true }).where(eq(users.id, other.userId));
  expect(await shown(other)).toBe(3);
});
