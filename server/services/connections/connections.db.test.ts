import { generateKeyPairSync } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { auditLog, connections } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteProject } from "@/server/services/deletion";
import {
  createConnection,
  createTrackerWebhook,
  deleteConnection,
  getConnection,
  listConnections,
  openConnection,
  testConnection,
  updateConnection,
} from ".";

const SECRET = "ghp_a-secret-of-github-4711";
const gitHub = (ctx: Ctx, more: object = {}) =>
  createConnection(ctx, { kind: "github", name: "Our GitHub", secret: SECRET, ...more }).then(
    (made) => made.connection,
  );
const logOf = (ctx: Ctx) => db().select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId));
const unprocessable = (path: string) => ({ code: "unprocessable", errors: [{ path, message: expect.any(String) }] });

test("a connection has its kind's default address, and shows that a secret is set without showing it", async () => {
  const { ctx } = await testProject();
  const made = await gitHub(ctx);
  expect(made).toMatchObject({
    id: expect.stringMatching(/^conn_[0-9a-f]{32}$/),
    kind: "github",
    name: "Our GitHub",
    baseUrl: "https://api.github.com",
    settings: { defaultDestination: null, openStates: [], closedStates: [], labels: [] },
    secretSet: true,
    lastTest: null,
  });
  const local = await createConnection(ctx, { kind: "model", name: "Hosted", settings: { dailyUsd: 5 } });
  expect(local.connection).toMatchObject({
    baseUrl: "https://api.openai.com/v1",
    secretSet: false,
    settings: { defaultModel: null, dailyCalls: null, dailyTokens: null, dailyUsd: 5 },
  });
  const { connections: listed } = await listConnections(ctx, {});
  expect(listed.map(({ name }) => name)).toEqual(["Hosted", "Our GitHub"]);
  expect(await getConnection(ctx, { connectionId: made.id })).toEqual({ connection: made });
  expect(JSON.stringify(listed)).not.toContain(SECRET);
});

test("a connection shows that its tracker's webhook is set, and never the webhook's secret", async () => {
  const { ctx } = await testProject();
  const { id: connectionId, webhookSet } = await gitHub(ctx);
  expect(webhookSet).toBe(false);
  const { webhook } = await createTrackerWebhook(ctx, { connectionId });
  const read = await getConnection(ctx, { connectionId });
  expect(read.connection).toMatchObject({ webhookSet: true });
  expect(JSON.stringify(read)).not.toContain(webhook.secret);
});

test("the list is newest first, page by page", async () => {
  const { ctx } = await testProject();
  for (const name of ["1", "2", "3"]) await gitHub(ctx, { name });
  const first = await listConnections(ctx, { limit: 2 });
  const rest = await listConnections(ctx, { limit: 2, cursor: String(first.pagination.nextCursor) });
  expect([...first.connections, ...rest.connections].map(({ name }) => name)).toEqual(["3", "2", "1"]);
  expect(rest.pagination.nextCursor).toBeNull();
});

test.each(["webhook", "jira"] as const)("a %s connection needs an address", async (kind) => {
  const { ctx } = await testProject();
  await expect(createConnection(ctx, { kind, name: "x" })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/baseUrl" }],
  });
});

test("settings are changed one by one, and settings of another kind are refused", async () => {
  const { ctx } = await testProject();
  const { id } = await gitHub(ctx, { settings: { defaultDestination: "acme/shop", labels: ["llm"] } });
  const changed = await updateConnection(ctx, { connectionId: id, settings: { labels: [] } });
  expect(changed.connection.settings).toMatchObject({ defaultDestination: "acme/shop", labels: [] });
  await expect(
    createConnection(ctx, { kind: "github", name: "x", settings: { defaultModel: "gpt" } }),
  ).rejects.toMatchObject({ code: "unprocessable", errors: [{ path: "/settings/defaultModel" }] });
  await expect(updateConnection(ctx, { connectionId: id, settings: { issueType: "Bug" } })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/settings/issueType" }],
  });
});

test.each([
  ["http://127.0.0.1:11434/v1", /OUTBOUND_ALLOW/],
  ["https://10.1.2.3", /OUTBOUND_ALLOW/],
  ["http://169.254.169.254/latest", /./],
  ["http://models.example.com", /./],
])("%s is refused with an explanation, and nothing is stored", async (baseUrl, words) => {
  const { ctx } = await testProject();
  const refused = await createConnection(ctx, { kind: "model", name: "x", baseUrl }).catch((error) => error);
  expect(refused).toMatchObject(unprocessable("/baseUrl"));
  expect(refused.message).toMatch(words);
  const { id } = await gitHub(ctx);
  await expect(updateConnection(ctx, { connectionId: id, baseUrl, secret: "x" })).rejects.toMatchObject(
    unprocessable("/baseUrl"),
  );
  expect((await listConnections(ctx, {})).connections).toHaveLength(1);
});

test.each(["ftp://example.com", "example.com", "https://user:pass@example.com", "https://example.com/#x"])(
  "%s is refused as a connection's address",
  async (baseUrl) => {
    const { ctx } = await testProject();
    const refused = createConnection(ctx, { kind: "model", name: "x", baseUrl });
    await expect(refused).rejects.toMatchObject(unprocessable("/baseUrl"));
  },
);

test("a stored secret is not sent to a new host unless it is entered again", async () => {
  const { ctx } = await testProject();
  const { id: connectionId } = await gitHub(ctx, { baseUrl: "https://github.example.com/api/v3" });
  for (const baseUrl of [
    "https://evil.example",
    "https://github.example.com:8443/api/v3",
    "https://github.example.co",
  ]) {
    await expect(updateConnection(ctx, { connectionId, baseUrl })).rejects.toMatchObject(unprocessable("/secret"));
  }
  const elsewhere = await updateConnection(ctx, { connectionId, baseUrl: "https://github.example.com/api/v4" });
  expect(elsewhere.connection.secretSet).toBe(true);
  const renewed = await updateConnection(ctx, { connectionId, baseUrl: "https://other.example", secret: "new" });
  expect(renewed.connection).toMatchObject({ baseUrl: "https://other.example", secretSet: true });
  const forgotten = await updateConnection(ctx, { connectionId, baseUrl: "https://third.example", secret: null });
  expect(forgotten.connection.secretSet).toBe(false);
  await updateConnection(ctx, { connectionId, baseUrl: "https://fourth.example" });
});

test("a webhook's signing key cannot become part of an address, nor an address on another host its secret", async () => {
  const { ctx } = await testProject();
  const baseUrl = "https://hooks.example.com/in";
  const { connection } = await createConnection(ctx, { kind: "webhook", name: "x", baseUrl, secret: "key" });
  const connectionId = connection.id;
  await expect(updateConnection(ctx, { connectionId, settings: { format: "slack" } })).rejects.toMatchObject(
    unprocessable("/secret"),
  );
  const secret = "https://hooks.slack.example/services/T/B/x";
  await expect(updateConnection(ctx, { connectionId, settings: { format: "slack" }, secret })).rejects.toMatchObject(
    unprocessable("/secret"),
  );
});

test("viewers and editors see only the names of connections, and managers see and change everything", async () => {
  const { ctx, asKey } = await testProject();
  const { id: connectionId } = await gitHub(ctx);
  const named = { id: connectionId, kind: "github", name: "Our GitHub" };
  const as = (role: "viewer" | "editor" | "manager"): Ctx => ({
    ...ctx,
    actor: { kind: "user", userId: "usr_1", role },
  });
  for (const one of [as("viewer"), as("editor"), asKey("workspace:read")]) {
    expect((await listConnections(one, {})).connections).toEqual([named]);
    expect((await getConnection(one, { connectionId })).connection).toEqual(named);
    const refused = { code: "forbidden" };
    await expect(gitHub(one)).rejects.toMatchObject(refused);
    await expect(updateConnection(one, { connectionId, name: "x" })).rejects.toMatchObject(refused);
    await expect(testConnection(one, { connectionId })).rejects.toMatchObject(refused);
    await expect(deleteConnection(one, { connectionId })).rejects.toMatchObject(refused);
  }
  for (const one of [as("manager"), asKey("connections:manage")]) {
    expect((await getConnection(one, { connectionId })).connection).toHaveProperty("baseUrl");
    await updateConnection(one, { connectionId, name: "Renamed" });
  }
});

test("another project's connection is not found by any operation", async () => {
  const [ours, theirs] = [await testProject(), await testProject()];
  const { id: connectionId } = await gitHub(theirs.ctx);
  const absent = { code: "not_found" };
  await expect(getConnection(ours.ctx, { connectionId })).rejects.toMatchObject(absent);
  await expect(updateConnection(ours.ctx, { connectionId, name: "x" })).rejects.toMatchObject(absent);
  await expect(testConnection(ours.ctx, { connectionId })).rejects.toMatchObject(absent);
  await expect(deleteConnection(ours.ctx, { connectionId })).rejects.toMatchObject(absent);
  await expect(openConnection(ours.ctx, connectionId, "test")).rejects.toMatchObject(absent);
  expect((await listConnections(ours.ctx, {})).connections).toEqual([]);
  expect((await getConnection(theirs.ctx, { connectionId })).connection.name).toBe("Our GitHub");
});

test("a secret cannot be opened in a row that was moved to another project", async () => {
  const [ours, theirs] = [await testProject(), await testProject()];
  const { id: connectionId } = await gitHub(theirs.ctx);
  await db().update(connections).set({ projectId: ours.ctx.projectId }).where(eq(connections.id, connectionId));
  await expect(openConnection(ours.ctx, connectionId, "test")).rejects.toThrow(/cannot be opened/);
  const { test: found } = await testConnection(ours.ctx, { connectionId });
  expect(found).toMatchObject({ ok: false, problems: [expect.stringMatching(/Enter it again/)] });
});

test("the audit log records who changed and used a connection, and never a secret", async () => {
  const { ctx, userId } = await testProject();
  const { id: connectionId } = await gitHub(ctx);
  await updateConnection(ctx, { connectionId, name: "Renamed", secret: `${SECRET}-two` });
  await openConnection({ ...ctx, actor: { kind: "job", name: "run-rules" } }, connectionId, "adjudicate");
  await deleteConnection(ctx, { connectionId });
  const log = await logOf(ctx);
  expect(JSON.stringify(log)).not.toContain(SECRET);
  const [created, updated, used, deleted] = ["create", "update", "use", "delete"].map((what) =>
    log.find(({ action }) => action === `connections.${what}`),
  );
  const target = { targetType: "connection", targetId: connectionId };
  expect(created).toMatchObject({ ...target, actorId: userId, after: { secretSet: true, kind: "github" } });
  expect(updated).toMatchObject({ before: { name: "Our GitHub" }, after: { name: "Renamed", secretReplaced: true } });
  expect(used).toMatchObject({
    ...target,
    actorKind: "job",
    actorId: "run-rules",
    after: { purpose: "adjudicate", host: "api.github.com" },
  });
  expect(deleted).toMatchObject({ ...target, before: { name: "Renamed" }, after: null });
});

test("a connection's client does not expose its secret", async () => {
  const { ctx } = await testProject();
  const { id } = await gitHub(ctx);
  const client = await openConnection(ctx, id, "test");
  const inside = [client, ...Object.values(client)].map((part) => `${JSON.stringify(part)} ${String(part)}`).join("\n");
  expect(inside).not.toContain(SECRET);
  expect(Object.keys(client.connection).sort()).toEqual(["baseUrl", "id", "kind", "name", "settings"]);
});

test("a deleted project's connections are deleted immediately", async () => {
  const [gone, stays] = [await testProject(), await testProject()];
  await gitHub(gone.ctx);
  await gitHub(stays.ctx);
  await deleteProject(gone.ctx, { name: "Test project" });
  const left = async (ctx: Ctx) =>
    (await db().select().from(connections).where(eq(connections.projectId, ctx.projectId))).length;
  expect([await left(gone.ctx), await left(stays.ctx)]).toEqual([0, 1]);
});

test("concurrent changes to different fields are all kept", async () => {
  const { ctx } = await testProject();
  const { id: connectionId } = await gitHub(ctx);
  await Promise.all([
    updateConnection(ctx, { connectionId, settings: { labels: ["a"] } }),
    updateConnection(ctx, { connectionId, settings: { defaultDestination: "acme/shop" } }),
    updateConnection(ctx, { connectionId, name: "Both" }),
  ]);
  expect((await getConnection(ctx, { connectionId })).connection).toMatchObject({
    name: "Both",
    settings: { labels: ["a"], defaultDestination: "acme/shop" },
  });
  const [row] = await db()
    .select()
    .from(connections)
    .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, connectionId)));
  expect(row?.secretSealed).not.toBeNull();
});

const APP = { appId: "4242", installationId: "77" };
const rsaKey = () =>
  generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs1", format: "pem" }).toString();

test("a GitHub App has its ids in the settings and its private key as the secret", async () => {
  const { ctx } = await testProject();
  const secret = rsaKey();
  const made = await gitHub(ctx, { secret, settings: APP });
  expect(made).toMatchObject({ secretSet: true, settings: APP });
  expect(JSON.stringify([made, await logOf(ctx)])).not.toContain("PRIVATE KEY");
});

test.each([
  ["half of its ids", { settings: { appId: "4242" }, secret: rsaKey() }, "/settings/installationId"],
  ["the other half", { settings: { installationId: "77" } }, "/settings/appId"],
  ["a token for a key", { settings: APP }, "/secret"],
  ["a key without an App", { secret: rsaKey() }, "/secret"],
])("a GitHub App with %s is refused", async (_, given, path) => {
  const { ctx } = await testProject();
  await expect(gitHub(ctx, given)).rejects.toMatchObject(unprocessable(path));
});

test("a stored token is not used as an App's key, nor a stored key as a token", async () => {
  const { ctx } = await testProject();
  const withToken = await gitHub(ctx);
  const toApp = { connectionId: withToken.id, settings: APP };
  await expect(updateConnection(ctx, toApp)).rejects.toMatchObject(unprocessable("/secret"));
  const { connection } = await updateConnection(ctx, { ...toApp, secret: rsaKey() });
  expect(connection).toMatchObject({ settings: APP });
  const toToken = { connectionId: connection.id, settings: { appId: null, installationId: null } };
  await expect(updateConnection(ctx, toToken)).rejects.toMatchObject(unprocessable("/secret"));
  expect((await updateConnection(ctx, { ...toToken, secret: SECRET })).connection.settings).toMatchObject({
    appId: null,
  });
});
