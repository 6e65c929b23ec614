import { eq, sql } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { conversations, modelPriceDefinitions, passwordResets } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { startEngine } from "@/server/engine/engine";
import { embeddedClient, QUICK, until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { HOUR_MS } from "@/server/platform/durations";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { createApiKey, listApiKeys, verifyApiKey } from "@/server/services/api-keys";
import {
  createRuleRuns,
  executeRuleRuns,
  listFindings,
  listRuleRuns,
  scheduleInactiveConversations,
  updateFinding,
} from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import {
  createPasswordReset,
  createUser,
  findPasswordReset,
  readSession,
  startSession,
  verifyPassword,
} from "@/server/services/identity";
import { sweepMail } from "@/server/services/mail";
import { findInvitation, inviteMember } from "@/server/services/members";
import { createModelPrice } from "@/server/services/pricing";
import { previewRetention, runHousekeeping, updateRetention } from "@/server/services/retention";
import { listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest, otlpJson } from "@/server/services/telemetry/testing";
import { shiftClock } from "../../../testbed/servers/shifted-clock.mjs";

/** Nine hours either way, so that this clock misjudges both what has an hour left and what ended an hour ago. */
const AHEAD = 9 * HOUR_MS;
const BEHIND = -9 * HOUR_MS;

let right = () => {};
const wrongBy = (ms: number) => {
  right = shiftClock(ms);
};
afterEach(() => right());

/** Sets the expiry of every row of a table, by the database's clock. */
const letEnd = (table: string, inMs: number) =>
  db().execute(sql`update ${sql.identifier(table)} set expires_at = ${NOW} + ${inMs}::bigint`);

/** Creates one of each thing that expires. The returned function sets their time left and returns which are still valid. */
async function things() {
  const { ctx, userId } = await testProject();
  const member = await createUser(db(), { email: `${crypto.randomUUID()}@example.test`, password: "a long password" });
  const session = await startSession(db(), { userId });
  const invited = await inviteMember(ctx, { role: "viewer" });
  await db().execute(
    sql`insert into memberships (project_id, user_id, role) values (${ctx.projectId}, ${member.id}, 'viewer')`,
  );
  const reset = await createPasswordReset(ctx, { userId: member.id });
  const endKey = async (inMs: number) => {
    const expiresAt = (await databaseNow(db())) + 2 * HOUR_MS;
    const { apiKey, secret } = await createApiKey(ctx, { name: "ends", expiresAt });
    await db().execute(sql`update api_keys set expires_at = ${NOW} + ${inMs}::bigint where id = ${apiKey.id}`);
    return { apiKey, secret };
  };
  return async (leftMs: number) => {
    for (const table of ["sessions", "invitations", "password_resets"]) await letEnd(table, leftMs);
    const key = await endKey(leftMs);
    const shown = (await listApiKeys(ctx, {})).apiKeys.find(({ id }) => id === key.apiKey.id);
    return {
      session: (await readSession(db(), session)) !== null,
      invitation: (await findInvitation(db(), invited.token)) !== null,
      reset: (await findPasswordReset(db(), reset.token ?? "")) !== null,
      key: await verifyApiKey(db(), key.secret).then(
        () => true,
        () => false,
      ),
      shownKey: shown?.status === "active",
    };
  };
}
const all = (open: boolean) => ({ session: open, invitation: open, reset: open, key: open, shownKey: open });

test.each([
  ["ahead", AHEAD],
  ["behind", BEHIND],
])("sessions, invitations, resets and keys expire by the database's clock in a process hours %s", async (_, shift) => {
  wrongBy(shift);
  const openWith = await things();
  expect(await openWith(HOUR_MS)).toEqual(all(true));
  expect(await openWith(-HOUR_MS)).toEqual(all(false));
});

test("sessions, invitations and password resets created by a process with a wrong clock last as long as usual", async () => {
  const made = async () => {
    const { ctx, userId } = await testProject();
    const member = await createUser(db(), {
      email: `${crypto.randomUUID()}@example.test`,
      password: "a long password",
    });
    await db().execute(
      sql`insert into memberships (project_id, user_id, role) values (${ctx.projectId}, ${member.id}, 'viewer')`,
    );
    await startSession(db(), { userId });
    await inviteMember(ctx, { role: "viewer" });
    await createPasswordReset(ctx, { userId: member.id });
  };
  const longest = async () => {
    const tables = ["sessions", "invitations", "password_resets"];
    const left = await Promise.all(
      tables.map(async (table) => {
        const [row] = await db().execute<{ left: string }>(
          sql`select max(expires_at) - ${NOW} as left from ${sql.identifier(table)}`,
        );
        return Number(row?.left);
      }),
    );
    await db().execute(sql`delete from sessions`);
    await db().execute(sql`delete from invitations`);
    await db().delete(passwordResets);
    return left;
  };
  await made();
  const usual = await longest();
  for (const shift of [AHEAD, BEHIND]) {
    wrongBy(shift);
    await made();
    right();
    for (const [n, left] of (await longest()).entries()) expect(Math.abs(left - usual[n]!)).toBeLessThan(HOUR_MS / 2);
  }
});

async function conversation(ctx: Ctx, n: number, ageMs: number) {
  const at = (await databaseNow(db())) - ageMs;
  const attributes = { "gen_ai.conversation.id": `s-${n}` };
  await ingest(ctx, [chatSpan({ traceId: `${n}`.repeat(32), spanId: `${n}`.repeat(16), startMs: at, attributes })]);
  await db()
    .update(conversations)
    .set({ receivedAt: at })
    .where(sql`external_id = ${`s-${n}`}`);
}

test("housekeeping and the mail sweep delete only what is due by the database's clock", async () => {
  const { ctx } = await testProject();
  await updateRetention(ctx, { days: 1 });
  await conversation(ctx, 1, 20 * HOUR_MS);
  await conversation(ctx, 2, 28 * HOUR_MS);
  const job: Ctx = { ...ctx, actor: { kind: "job", name: "keep-house" } };
  for (const shift of [AHEAD, BEHIND]) {
    wrongBy(shift);
    const { preview } = await previewRetention(ctx, { days: 1 });
    expect(preview.conversations).toBe(shift === AHEAD ? 1 : 0);
    await runHousekeeping(job, { day: "2026-11-20" }, { forMs: 60_000 });
    right();
    expect((await listConversations(ctx, {})).conversations.map(({ externalId }) => externalId)).toEqual(["s-1"]);
  }

  await db().execute(sql`
    insert into outgoing_mail (id, kind, expires_at) values ('soon', 'invitation', ${NOW} + ${HOUR_MS}::bigint),
      ('over', 'invitation', ${NOW} - ${HOUR_MS}::bigint)`);
  wrongBy(AHEAD);
  expect(await sweepMail(db())).toEqual({ removed: 1 });
});

test("a process whose clock is days behind accepts current spans and rejects those in the database's future", async () => {
  const { ctx } = await testProject();
  const secret = await keyFor(ctx, "telemetry:write");
  const dispatch = createDispatcher(OPERATIONS);
  const now = await databaseNow(db());
  const send = async (startMs: number) => {
    const span = chatSpan({ traceId: "5".repeat(32), spanId: "5".repeat(16), startMs });
    const request = new Request("http://test/v1/otlp/v1/traces", {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(otlpJson([span])),
    });
    return (await dispatch(request)).json();
  };
  wrongBy(-72 * HOUR_MS);
  expect(await send(now + 48 * HOUR_MS)).toMatchObject({ partialSuccess: { rejectedSpans: 1 } });
  expect(await send(now)).toEqual({});
});

test("a conversation is scheduled for diagnosis once it is inactive by the database's clock", async () => {
  const { ctx } = await testProject();
  const runs = async () => {
    await scheduleInactiveConversations(db());
    return (await listRuleRuns(ctx, {})).runs.length;
  };
  await conversation(ctx, 3, -10_000); // still active while this test runs
  wrongBy(AHEAD);
  expect(await runs()).toBe(0);
  right();
  await conversation(ctx, 4, HOUR_MS);
  wrongBy(BEHIND);
  expect(await runs()).toBeGreaterThan(0);
});

test("the times of prices and Findings come from the database's clock", async () => {
  const { ctx } = await testProject();
  const began = await databaseNow(db());
  wrongBy(AHEAD);
  await createModelPrice(ctx, {
    provider: "openai",
    modelName: "house-1",
    pricingTiers: [{ name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: 1 } }],
  });
  const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall("get_order", "Error: no such order"));
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const { findings } = await listFindings(ctx, { ruleId: "tool-failure" });
  const { finding } = await updateFinding(ctx, { findingId: findings[0]!.id, resolutionStatus: "resolved" });
  right();
  const { latestOccurrence, resolvedAt, createdAt, updatedAt } = finding;
  const [price] = await db()
    .select({ since: modelPriceDefinitions.effectiveFrom })
    .from(modelPriceDefinitions)
    .where(eq(modelPriceDefinitions.projectId, ctx.projectId));
  const times = [price!.since, latestOccurrence!.updatedAt, createdAt, updatedAt, resolvedAt];
  const ended = await databaseNow(db());
  expect(times.filter((at) => at === null || at < began || at > ended)).toEqual([]);
});

test("sign-in attempts are counted together across processes with different clocks", async () => {
  const email = `${crypto.randomUUID()}@example.test`;
  await createUser(db(), { email, password: "a long password" });
  const guess = (n: number) =>
    verifyPassword(db(), { email, password: `wrong ${n}`, address: "192.0.2.7" }).catch((error: Error) => error);
  const windows = async () => {
    const [row] = await db().execute<{ n: number }>(
      sql`select count(distinct window_start)::int as n from login_attempts`,
    );
    return row?.n;
  };
  for (const [n, shift] of [0, AHEAD, BEHIND, 0, AHEAD, BEHIND, 0, AHEAD, BEHIND, 0, AHEAD].entries()) {
    wrongBy(shift);
    await guess(n);
    right();
  }
  // Two if a quarter-hour window ended meanwhile, but not three, one for each clock.
  expect(await windows()).toBeLessThanOrEqual(2);
});

test("a job sleeps its full time and is retried in a process whose clock is ahead", async () => {
  wrongBy(AHEAD);
  const client = embeddedClient();
  let tries = 0;
  const sleeps = client.createFunction({ id: "sleeps", triggers: { event: "sleep" }, retries: 1 }, async ({ step }) => {
    await step.run("fails once", () => {
      tries += 1;
      if (tries === 1) throw new Error("once");
    });
    await step.sleep("a while", "1s");
  });
  const engine = await startEngine({ db: db(), client, functions: [sleeps], ...QUICK });
  const begun = performance.now();
  await client.send({ name: "sleep" });
  const done = async () => {
    const [row] = await db().execute<{ n: number }>(
      sql`select count(*)::int as n from job_runs where state = 'completed'`,
    );
    return row?.n === 1;
  };
  await until(done);
  await engine.stop();
  expect(tries).toBe(2);
  expect(performance.now() - begun).toBeGreaterThan(1000);
});
