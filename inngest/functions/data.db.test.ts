import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { projects } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import { deleteProject, deleteUserData, getDeletion } from "@/server/services/deletion";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { scheduleHousekeeping } from "@/server/services/retention";
import { getStorage } from "@/server/services/stored-sizes";
import { listConversations } from "@/server/services/telemetry";
import { inngest } from "../client";
import { functions } from ".";

let engine: Engine | undefined;
afterEach(() => engine?.stop());

test("requested deletions and every project's housekeeping run in the background", async () => {
  const { ctx } = await testProject();
  const doomed = await testProject();
  await storedConversation(ctx, [{ role: "user", text: "Hello" }], { userId: "ann" });
  await storedConversation(ctx, [{ role: "user", text: "Hello" }], { userId: "bob" });
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  const { deletion } = await deleteUserData(ctx, { userId: "ann" });
  await deleteProject(doomed.ctx, { name: "Test project" });
  await until(async () => (await getDeletion(ctx, { deletionId: deletion.id })).deletion.status === "completed");
  expect((await listConversations(ctx, {})).conversations.map((one) => one.userId)).toEqual(["bob"]);
  await until(async () => {
    const left = await db().select().from(projects).where(eq(projects.id, doomed.ctx.projectId));
    return left.length === 0;
  });
  await scheduleHousekeeping(db());
  await until(async () => (await getStorage(ctx, {})).storage.measuredAt !== null);
}, 30_000);
