import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { trainers, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { newId } from "@/server/platform/ids";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { addTrainer, listTrainers, removeTrainer } from "..";
import { attachLocal } from "./attach-local";
import { authenticateAgent } from "./authenticate-agent";

test("an owner of the installation adds a trainer, whose key works until the trainer is removed", async () => {
  const { ctx, userId } = await testProject();
  const account = { db: db(), userId };
  expect(await listTrainers(ctx, {})).toEqual({ trainers: [], mayManage: false });
  await expect(addTrainer(account, { name: "Box" })).rejects.toMatchObject({ code: "forbidden" });
  await db().update(users).set({ installationOwner: true }).where(eq(users.id, userId));

  const { trainer, key, command } = await addTrainer(account, { name: "Box" });
  expect(command).toBe(`WHETSTONE_TRAINER_KEY=${key} npx whetstone trainer --agent http://127.0.0.1:3000`);
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

test("a trainer gets a new key and keeps its id; its earlier key stops working", async () => {
  const operator = { db: db(), operator: true } as const;
  const first = await addTrainer(operator, { name: "Box" });
  const second = await addTrainer(operator, { name: "Box 2", trainerId: first.trainer.id });
  expect(second.trainer).toMatchObject({ id: first.trainer.id, name: "Box 2", keyHint: second.key.slice(-4) });
  await expect(authenticateAgent(db(), `Bearer ${first.key}`)).rejects.toMatchObject({ code: "unauthenticated" });
  expect((await authenticateAgent(db(), `Bearer ${second.key}`)).id).toBe(first.trainer.id);
  await removeTrainer(operator, { trainerId: first.trainer.id });
  const again = addTrainer(operator, { name: "Box", trainerId: first.trainer.id });
  await expect(again).rejects.toMatchObject({ code: "not_found" });
});

test("the trainer of this machine keeps a valid key, and takes over what an earlier release called here", async () => {
  await db().delete(trainers);
  const called = { kind: "url" as const, updatedAt: 1 };
  const here = newId("trn");
  await db()
    .insert(trainers)
    .values({ ...called, id: here, name: "127.0.0.1:8420" });
  const key = await attachLocal(db(), { name: "host", key: undefined });
  expect(await db().select().from(trainers)).toMatchObject([{ id: here, kind: "agent", name: "host" }]);
  expect(await attachLocal(db(), { name: "host", key })).toBe(key);
  await removeTrainer({ db: db(), operator: true }, { trainerId: here });
  // The machine that an earlier release called elsewhere is another one.
  await db()
    .insert(trainers)
    .values({ ...called, id: "trn_there", name: "gpu.example:8420" });
  const next = await attachLocal(db(), { name: "host", key });
  expect(next).not.toBe(key);
  expect(await db().select().from(trainers).where(eq(trainers.id, "trn_there"))).toMatchObject([{ kind: "url" }]);
});
