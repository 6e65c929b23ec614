import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog, jobRuns } from "@/db/schema";
import { operatorReplay } from ".";

const run = (id: string, state: "failed" | "running") =>
  db()
    .insert(jobRuns)
    .values({
      id,
      functionId: "whetstone-test",
      eventId: `evt_${id}`,
      event: { id: `evt_${id}`, name: "go", data: {}, ts: 0 },
      state,
      maxAttempts: 1,
      lane: "test",
    });
const rows = () => db().select().from(accountAuditLog).where(eq(accountAuditLog.action, "jobs.replay"));

test("a run that the operator replays is in the audit log; one that cannot be replayed is not", async () => {
  await run("jr_failed", "failed");
  await run("jr_running", "running");
  await operatorReplay(db(), "jr_failed");
  await expect(operatorReplay(db(), "jr_running")).rejects.toMatchObject({ code: "conflict" });
  expect(await rows()).toMatchObject([
    { actorKind: "operator", door: "cli", targetType: "run", targetId: "jr_failed", userId: null },
  ]);
});
