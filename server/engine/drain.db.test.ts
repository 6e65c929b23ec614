import { eq } from "drizzle-orm";
import { Inngest } from "inngest";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { jobEvents, jobRuns, jobSchedules, jobSteps } from "@/db/schema/engine";
import { emit } from "@/server/platform/outbox";
import { storedJob } from "@/server/services/background-jobs/testing";
import { drain } from "./drain";
import { startEngine } from "./engine";
import { startInngestEngine } from "./inngest-engine";
import { embeddedClient, QUICK, silent, until } from "./testing/describe-engine";

afterEach(async () => {
  for (const table of [jobRuns, jobEvents, jobSchedules]) await db().delete(table);
});

const pendingEvents = async () =>
  (await db().select().from(jobEvents)).filter(({ dispatchedAt }) => dispatchedAt === null).map(({ name }) => name);
const states = async () =>
  (await db().select().from(jobRuns)).map(({ functionId, state }) => `${functionId.split("-").at(-1)} ${state}`).sort();

/** The next engine: a server that nobody reaches. */
const onServer = (client: Inngest.Any, functions: Parameters<typeof startInngestEngine>[0]["functions"]) =>
  startInngestEngine({ db: db(), client, functions, origin: "https://whetstone.example" });

test("a server may run the jobs only when the embedded engine's runs are drained", async () => {
  const client = embeddedClient();
  const done: string[] = [];
  const fails = client.createFunction(
    { id: "fails", retries: 0, triggers: { event: "go" }, onFailure: async () => void done.push("failure handler") },
    async () => {
      throw new Error("no");
    },
  );
  const works = client.createFunction(
    { id: "works", triggers: [{ event: "go" }, { cron: "0 0 1 1 *" }] },
    async ({ step }) => {
      await step.run("first", () => void done.push("first step"));
      await step.sleep("pause", "1h");
      await step.sendEvent("go on", { name: "go", data: { again: true } });
    },
  );
  const functions = [fails, works];
  const engine = await startEngine({ db: db(), client, functions, ...QUICK });
  await emit(db(), { name: "go", data: {} });
  await until(async () => (await states()).includes("works sleeping"));
  await engine.stop();
  await db().update(jobSchedules).set({ nextAt: 0 });
  await storedJob({ db: db(), projectId: null }, { functionId: "of-a-former-release" });
  await emit(db(), { name: "go", data: {} });

  const reserved = new Inngest({
    id: client.id,
    isDev: true,
    baseUrl: "http://127.0.0.1:9",
    eventKey: "key",
    logger: silent,
  });
  await expect(onServer(reserved, functions)).rejects.toThrow(
    /the embedded engine has unfinished background jobs \(\d\).* npx whetstone job drain/,
  );

  await db().update(jobSteps).set({ dueAt: 0 }).where(eq(jobSteps.state, "sleeping"));
  await db().update(jobRuns).set({ dueAt: 0, queueAt: 0 }).where(eq(jobRuns.state, "sleeping"));
  const left: number[] = [];
  await drain({ db: db(), client, functions, ...QUICK }, (count) => left.push(count));
  expect(left[0]).toBeGreaterThan(0);
  expect(done.sort()).toEqual(["failure handler", "first step"]);
  expect(await states()).toEqual(["fails failed", "failure completed", "release queued", "works completed"]);
  expect(await pendingEvents()).toEqual(["go", "go"]);
  expect(await db().select().from(jobSchedules)).toMatchObject([{ nextAt: 0 }]);
  await db().delete(jobEvents); // nobody would accept them
  await (await onServer(reserved, functions)).stop();
});
