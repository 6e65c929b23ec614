import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog, auditLog } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { storedJob } from "@/server/services/background-jobs/testing";
import { operatorReplay } from "..";

const ACTION = "backgroundJobs.replay";

test("a run replayed by the operator is in the audit log, and one that cannot be replayed is not", async () => {
  const installation = { db: db(), projectId: null };
  const failed = await storedJob(installation, { state: "failed" });
  await operatorReplay(db(), failed);
  const running = await storedJob(installation, { state: "running" });
  await expect(operatorReplay(db(), running)).rejects.toMatchObject({ code: "conflict" });
  expect(await db().select().from(accountAuditLog).where(eq(accountAuditLog.action, ACTION))).toMatchObject([
    { actorKind: "operator", door: "cli", targetType: "backgroundJob", targetId: failed, userId: null },
  ]);
});

test("a project's audit log shows that the operator replayed one of its runs", async () => {
  const { ctx } = await testProject();
  const failed = await storedJob(ctx, { state: "failed" });
  await operatorReplay(db(), failed);
  expect(await db().select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId))).toMatchObject([
    { action: ACTION, actorKind: "operator", targetId: failed },
  ]);
});
