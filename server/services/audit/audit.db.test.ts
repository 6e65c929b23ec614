import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { accountAuditLog, auditLog, projects } from "@/db/schema";
import { asOwner } from "@/db/testing/as-owner";
import { testProject } from "@/db/testing/test-project";
import { auditable } from "@/server/platform/audit";
import { csvCell } from "@/server/platform/csv";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { cookieFor, keyFor, requestTo } from "@/server/rest/testing";
import { createApiKey, revokeApiKey } from "@/server/services/api-keys";
import {
  changePassword,
  createPasswordReset,
  createUser,
  resetPassword,
  startSession,
} from "@/server/services/identity";
import { acceptInvitation, inviteMember, joinByInvitation } from "@/server/services/members";
import { renameProject } from "@/server/services/projects";
import { listAudit, listMyActivity } from ".";

test("an audit row has the actor, the interface, and the values before and after", async () => {
  const { ctx, userId } = await testProject();
  const { cookie, sessionId } = await cookieFor(userId);
  const key = await keyFor(ctx, "project:admin");
  const send = createDispatcher(OPERATIONS);
  const at = `/v1/projects/${ctx.projectId}`;
  const headers = { "x-request-id": "req-1", "x-forwarded-for": "203.0.113.9" };
  const byCookie = requestTo("PATCH", at, {
    cookie,
    body: { name: "First" },
    headers: { ...headers, "sec-fetch-site": "same-origin" },
  });
  expect((await send(byCookie)).status).toBe(200);
  expect((await send(requestTo("PATCH", at, { key, body: { name: "Second" }, headers }))).status).toBe(200);

  const reply = await send(requestTo("GET", `${at}/audit-log`, { key }));
  const { entries } = (await reply.json()) as Awaited<ReturnType<typeof listAudit>>;
  expect(entries).toMatchObject([
    {
      action: "projects.rename",
      actor: { kind: "apiKey", name: "test", sessionId: null },
      before: { name: "First" },
      after: { name: "Second" },
    },
    {
      action: "projects.rename",
      actor: { kind: "user", id: userId, name: `${userId}@example.test`, sessionId },
      target: { type: "project", id: ctx.projectId, name: null },
      before: { name: "Test project" },
      after: { name: "First" },
      door: "rest",
      requestId: "req-1",
      address: "203.0.113.9",
    },
  ]);
});

test("a change that fails is neither stored nor logged", async () => {
  const { ctx } = await testProject();
  const failing = verb(
    {
      name: "things.fail",
      summary: "Changes something and fails.",
      description: "",
      capability: "project:admin",
      effect: "write",
      input: z.strictObject({}),
      reply: z.object({}),
    },
    async (tx) => {
      await tx.db.update(projects).set({ name: "Half" }).where(eq(projects.id, tx.projectId));
      throw new Error("late");
    },
  );
  await expect(failing(ctx, {})).rejects.toThrow("late");
  const [project] = await db().select().from(projects).where(eq(projects.id, ctx.projectId));
  expect(project?.name).toBe("Test project");
  expect((await listAudit(ctx, {})).entries).toEqual([]);
  await expect(
    renameProject({ ...ctx, actor: { kind: "user", userId: "u", role: "viewer" } }, { name: "x" }),
  ).rejects.toThrow();
  expect((await listAudit(ctx, {})).entries).toEqual([]);
});

test("rows cannot be changed or deleted while their project exists, and are deleted with it", async () => {
  const { ctx } = await testProject();
  await renameProject(ctx, { name: "Once" });
  const mine = eq(auditLog.projectId, ctx.projectId);
  await db().insert(accountAuditLog).values({ id: "aud_x", action: "x", actorKind: "operator" });
  const changes = (tx: Db) => [
    tx.update(auditLog).set({ action: "x" }).where(mine),
    tx.delete(auditLog).where(mine),
    tx.execute(sql`truncate audit_log`),
    tx.delete(accountAuditLog),
    tx.update(accountAuditLog).set({ action: "y" }),
  ];
  // The application has no privilege for this, whatever bug it may have; for the tables' owner, a trigger refuses.
  const denied = { cause: { code: "42501", message: expect.stringContaining("permission denied") } };
  for (const change of changes(db())) await expect(change).rejects.toMatchObject(denied);
  for (const off of [sql`alter table audit_log disable trigger all`, sql`drop table audit_log`]) {
    await expect(db().execute(off)).rejects.toMatchObject({ cause: { code: "42501" } });
  }
  await asOwner(async (owner) => {
    const refused = { cause: { message: expect.stringContaining("append-only") } };
    for (const change of changes(owner)) await expect(change).rejects.toMatchObject(refused);
  });
  await db().delete(projects).where(eq(projects.id, ctx.projectId));
  expect(await db().$count(auditLog, mine)).toBe(0);
});

test("filters and paging find each row once", async () => {
  const { ctx, userId, asKey } = await testProject();
  const { apiKey } = await createApiKey(ctx, { name: "k" });
  for (const name of ["a", "b", "c"]) await renameProject(ctx, { name });
  await renameProject(asKey("project:admin"), { name: "d" });
  await revokeApiKey(ctx, { keyId: apiKey.id });
  const actions = async (filters: object) => (await listAudit(ctx, filters)).entries.map(({ action }) => action);
  expect(await actions({ targetId: apiKey.id })).toEqual(["apiKeys.revoke", "apiKeys.create"]);
  expect((await listAudit(ctx, { targetId: apiKey.id })).entries[0]?.target).toMatchObject({ type: "key", name: "k" });
  expect(await actions({ action: "apiKeys" })).toHaveLength(2);
  expect(await actions({ action: "projects.rename" })).toHaveLength(4);
  expect(await actions({ action: "%" })).toEqual([]);
  expect(await actions({ actorId: userId })).toHaveLength(5);
  const all = (await listAudit(ctx, {})).entries;
  const [from, until] = [all[4]?.createdAt as number, all[1]?.createdAt as number];
  for (const entry of (await listAudit(ctx, { createdAfter: from, createdBefore: until })).entries) {
    expect(entry.createdAt).toBeGreaterThanOrEqual(from);
    expect(entry.createdAt).toBeLessThan(until);
  }
  const seen: string[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await listAudit(ctx, { limit: 2, cursor });
    seen.push(...page.entries.map(({ id }) => id));
    cursor = page.pagination.nextCursor ?? undefined;
  }
  expect(seen).toEqual(all.map(({ id }) => id));
  const theirs = await testProject();
  expect((await listAudit(theirs.ctx, {})).entries).toEqual([]);
});

test("an action recorded under a former name is listed and found under today's", async () => {
  const { ctx } = await testProject();
  const row = { projectId: ctx.projectId, action: "fineTuning.createJob", actorKind: "operator" as const };
  await db()
    .insert(auditLog)
    .values({ ...row, id: newId("aud") });
  await db()
    .insert(auditLog)
    .values({ ...row, id: newId("aud"), action: "trainingJobs.create" });
  await db()
    .insert(auditLog)
    .values({ ...row, id: newId("aud"), action: "evaluations.create" });
  const actions = async (action: string) => (await listAudit(ctx, { action })).entries.map((entry) => entry.action);
  for (const asked of ["trainingJobs.create", "fineTuning.createJob", "trainingJobs"]) {
    expect(await actions(asked)).toEqual(["trainingJobs.create", "trainingJobs.create"]);
  }
  expect(await actions("fineTuning")).toHaveLength(3);
});

const download = (projectId: string, key: string, query = "") =>
  createDispatcher(OPERATIONS)(requestTo("GET", `/v1/projects/${projectId}/audit-log.csv${query}`, { key }));

test("the downloaded file has every row, quoted, and no cell that a spreadsheet would run as a formula", async () => {
  const { ctx } = await testProject();
  for (const name of ['=HYPERLINK("http://evil")', "plain, with comma"]) await renameProject(ctx, { name });
  const reply = await download(ctx.projectId, await keyFor(ctx, "project:admin"), "?action=projects");
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="audit-log.csv"',
    "cache-control": "no-store",
  });
  const lines = (await reply.text()).trimEnd().split("\r\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^time,action,actorKind,/);
  expect(lines[1]).toContain('"{""name"":""plain, with comma""}"');
  expect(["=1+1", "+1", "-1", "@x", "\tx", 'a"b', null, 5].map(csvCell)).toEqual([
    "'=1+1",
    "'+1",
    "'-1",
    "'@x",
    "'\tx",
    '"a""b"',
    "",
    "5",
  ]);
});

test("the downloaded log covers all pages, and contains no other project's rows", async () => {
  const [ours, theirs] = [await testProject(), await testProject()];
  const rows = Array.from({ length: 1100 }, (_, n) => ({
    projectId: ours.ctx.projectId,
    id: `aud_${n}`,
    action: "things.done",
    actorKind: "operator" as const,
  }));
  await db().insert(auditLog).values(rows);
  await renameProject(theirs.ctx, { name: "Secret name" });
  const key = await keyFor(ours.ctx, "project:admin");
  const csv = await (await download(ours.ctx.projectId, key)).text();
  expect(csv.trimEnd().split("\r\n")).toHaveLength(1101);
  expect(new Set(csv.match(/aud_\d+/g)).size).toBe(1100);
  expect(csv).not.toContain("Secret name");
  expect((await download(theirs.ctx.projectId, key)).status).toBe(404);
  expect((await download(ours.ctx.projectId, await keyFor(ours.ctx, "workspace:read"))).status).toBe(403);
  expect((await download(ours.ctx.projectId, key, "?createdAfter=soon")).status).toBe(400);
});

test("no secret gets into the log, by field name or by shape", async () => {
  const { ctx, userId } = await testProject();
  const canary = "CANARY-password-1";
  const planted: string[] = [canary, `${canary}-new`, `${canary}-reset`, `${canary}-join`];
  const { apiKey, secret } = await createApiKey(ctx, { name: "k" });
  planted.push(secret, secret.slice(-20));
  const { token } = await inviteMember(ctx, {});
  const second = await inviteMember(ctx, {});
  planted.push(token, second.token);
  const joined = await joinByInvitation(db(), { token, email: "canary@example.test", password: `${canary}-join` });
  const person = await createUser(db(), { email: "canary2@example.test", password: canary });
  const account = { db: db(), userId: person.id, sessionId: await startSession(db(), { userId: person.id }) };
  await acceptInvitation(account, { token: second.token });
  await changePassword(account, { currentPassword: canary, newPassword: `${canary}-new` });
  const reset = await createPasswordReset(ctx, { userId: joined.user.id });
  planted.push(reset.token ?? "");
  await resetPassword(db(), { token: reset.token ?? "", password: `${canary}-reset` });
  await renameProject(ctx, { name: secret.slice(0, 120) });
  await revokeApiKey(ctx, { keyId: apiKey.id });

  const [project] = await db().execute<{ log: string }>(
    sql`select coalesce(string_agg(l::text, ' '), '') as log from audit_log l`,
  );
  const [accounts] = await db().execute<{ log: string }>(
    sql`select coalesce(string_agg(l::text, ' '), '') as log from account_audit_log l`,
  );
  const log = `${project?.log} ${accounts?.log}`;
  for (const word of [
    "invitations.accept",
    "account.changePassword",
    "account.resetPassword",
    joined.user.id,
    userId,
  ]) {
    expect(log).toContain(word);
  }
  for (const word of planted) expect(log, word).not.toContain(word);
  expect(log).not.toContain("argon2");
  expect((await listMyActivity(account, {})).entries).toMatchObject([
    { action: "account.changePassword", before: null },
  ]);
});

test("the log masks secrets in a value, bounds its length and keeps it valid text", () => {
  const key = `whet_${"0".repeat(32)}_${"a".repeat(46)}`;
  expect(
    auditable({
      password: "x",
      newPassword: "x",
      headers: { authorization: "Bearer abc" },
      token: "t",
      apiKey: { name: "kept", secret: "s" },
      maxTokens: 5,
      inputTokens: "12",
      note: `use ${key} with Bearer abc at postgres://u:p@host/db`,
      list: ["a", undefined, null, 1],
      gone: undefined,
    }),
  ).toEqual({
    password: "***",
    newPassword: "***",
    headers: { authorization: "***" },
    token: "***",
    apiKey: { name: "kept", secret: "***" },
    maxTokens: 5,
    inputTokens: "12",
    note: "use whet_*** with Bearer *** at postgres://***@host/db",
    list: ["a", undefined, null, 1],
  });
  expect(String(auditable("😀".repeat(400))).isWellFormed()).toBe(true);
  expect(String(auditable("😀".repeat(400))).length).toBeLessThanOrEqual(501);
});
