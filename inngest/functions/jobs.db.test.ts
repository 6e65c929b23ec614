import { sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { asOwner } from "@/db/testing/as-owner";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { APP_ID, describeFunction } from "@/server/platform/jobs/catalogue";
import {
  cancelBackgroundJob,
  getBackgroundJob,
  listBackgroundJobs,
  replayBackgroundJob,
} from "@/server/services/background-jobs";
import { createRuleRuns, listRuleRuns } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { inngest } from "../client";
import { functions } from ".";

let engine: Engine | undefined;
afterEach(() => engine?.stop());

const CANARY = "canary-5d1f";

async function queuedRuns(ctx: Ctx) {
  const said = failingToolCall("get_order", `Error: order ${CANARY} not found`);
  const { id, lastActivityAt } = await storedConversation(ctx, said);
  await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  return id;
}
const statuses = async (ctx: Ctx) => [...new Set((await listRuleRuns(ctx, {})).runs.map((run) => run.status))];
const jobOf = async (ctx: Ctx, functionId = `${APP_ID}-run-rules`) =>
  (await listBackgroundJobs(ctx, { functionId })).backgroundJobs[0];

test("every function is in the catalogue under its Inngest name", () => {
  for (const fn of functions) {
    const { name } = describeFunction(fn.id(APP_ID));
    expect(name).not.toBe(fn.id(APP_ID));
    expect(fn.name).toBe(name);
  }
});

test("the Rule Runs of a dead job fail, and complete when the job is replayed after a fix", async () => {
  const { ctx } = await testProject();
  const conversationId = await queuedRuns(ctx);
  await asOwner((owner) => owner.execute(sql`alter table occurrences rename to occurrences_away`));
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  await until(async () => (await statuses(ctx)).join() === "failed");
  const dead = (await jobOf(ctx))!;
  expect(dead).toMatchObject({ state: "failed", attempts: 5, conversationIds: [conversationId] });
  // The error names the query. The values it was to store, which are text of a conversation, must not be recorded anywhere.
  expect(dead.error?.message).toMatch(/^SQLSTATE 42P01 in: select distinct t\.rule_id/);
  const kept = await db().execute<{ text: string }>(sql`
    select event::text || coalesce(error::text, '') as text from job_runs
    union all select coalesce(error::text, '') || coalesce(data::text, '') from job_steps
    union all select data::text from job_events
    union all select coalesce(error_message, '') from rule_runs`);
  expect(kept.map(({ text }) => text).join("\n")).not.toContain(CANARY);

  await asOwner((owner) => owner.execute(sql`alter table occurrences_away rename to occurrences`));
  await replayBackgroundJob(ctx, { backgroundJobId: dead.id });
  await until(async () => (await statuses(ctx)).join() === "completed");
  await until(
    async () => (await getBackgroundJob(ctx, { backgroundJobId: dead.id })).backgroundJob.state === "completed",
  );
  expect((await listRuleRuns(ctx, {})).runs.every((run) => run.errorMessage === null)).toBe(true);
  expect(await jobOf(ctx, `${APP_ID}-run-rules-failure`)).toMatchObject({
    afterFailure: true,
    carries: [{ of: "backgroundJob", ids: [dead.id] }, { of: "run" }],
  });
}, 30_000);

test("the Rule Runs of a cancelled job fail instead of staying queued", async () => {
  const { ctx } = await testProject();
  await queuedRuns(ctx);
  await asOwner((owner) => owner.execute(sql`alter table occurrences rename to occurrences_away`));
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK, backoff: () => 3_600_000 });
  const job = await until(async () => {
    const found = await jobOf(ctx);
    return found?.state === "retrying" ? found : undefined;
  });
  await asOwner((owner) => owner.execute(sql`alter table occurrences_away rename to occurrences`));
  await cancelBackgroundJob(ctx, { backgroundJobId: job.id });
  await until(async () => (await statuses(ctx)).join() === "failed");
  expect((await listRuleRuns(ctx, {})).runs[0]?.errorMessage).toBe("The background job was cancelled.");
}, 30_000);
