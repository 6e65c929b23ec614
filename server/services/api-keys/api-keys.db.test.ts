import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { databaseNow } from "@/db/database-now";
import { db } from "@/db/pool";
import { apiKeys } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES, DEFAULT_KEY_CAPABILITIES } from "@/server/platform/capabilities";
import { createApiKey, issueApiKey, listApiKeys, revokeApiKey, verifyApiKey } from ".";
import { idOfKey } from "./key-format";
import { KEY_CACHE_MS } from "./verify-api-key";

afterEach(() => vi.useRealTimers());
const refused = { code: "unauthenticated" };

test("a key has a recognizable form, and grants its capabilities in its project", async () => {
  const { ctx } = await testProject();
  const { apiKey, secret } = await createApiKey(ctx, {
    name: "CI",
    capabilities: ["telemetry:write", "diagnostics:read"],
  });
  expect(secret).toMatch(/^whet_[0-9a-f]{32}_[0-9A-Za-z]{46}$/);
  expect(apiKey).toMatchObject({ name: "CI", status: "active", lastUsedAt: null, expiresAt: null });
  expect(apiKey.hint).toBe(secret.slice(-10, -6));
  expect(await verifyApiKey(db(), secret)).toEqual({
    projectId: ctx.projectId,
    actor: { kind: "apiKey", keyId: apiKey.id, capabilities: ["diagnostics:read", "telemetry:write"] },
  });
});

test("a key created without capabilities gets the default ones", async () => {
  const { ctx } = await testProject();
  const { apiKey } = await createApiKey(ctx, { name: "plain" });
  expect([...apiKey.capabilities].sort()).toEqual([...DEFAULT_KEY_CAPABILITIES].sort());
});

test("the checksum detects every single mistyped character without a query", async () => {
  const { ctx } = await testProject();
  const { secret } = await createApiKey(ctx, { name: "typed" });
  for (let at = "whet_".length; at < secret.length; at++) {
    const typo = secret.slice(0, at) + (secret[at] === "a" ? "b" : "a") + secret.slice(at + 1);
    expect(idOfKey(typo)).toBeUndefined();
  }
  await expect(verifyApiKey({} as never, `${secret}x`)).rejects.toMatchObject(refused);
});

test("the secret is not stored, and no list shows it", async () => {
  const { ctx } = await testProject();
  const { secret } = await createApiKey(ctx, { name: "hidden" });
  const [row] = await db().select().from(apiKeys).where(eq(apiKeys.projectId, ctx.projectId));
  const listed = await listApiKeys(ctx, {});
  for (const text of [JSON.stringify(row), JSON.stringify(listed)]) expect(text).not.toContain(secret.slice(38, 60));
  expect(listed.apiKeys[0]).not.toHaveProperty("hash");
});

test("one key's id with another key's secret is refused", async () => {
  const { ctx } = await testProject();
  const [one, two] = [await createApiKey(ctx, { name: "1" }), await createApiKey(ctx, { name: "2" })];
  const forged = one.secret.slice(0, 38) + two.secret.slice(38);
  await expect(verifyApiKey(db(), forged)).rejects.toMatchObject(refused);
});

test("an expired key is refused, and a key cannot be created with an expiry in the past", async () => {
  const { ctx } = await testProject();
  const { secret } = await createApiKey(ctx, { name: "soon", expiresAt: (await databaseNow(db())) + 3_000 });
  await verifyApiKey(db(), secret);
  await vi.waitFor(() => expect(verifyApiKey(db(), secret)).rejects.toMatchObject(refused), { timeout: 30_000 });
  expect((await listApiKeys(ctx, {})).apiKeys[0]?.status).toBe("expired");
  await expect(createApiKey(ctx, { name: "past", expiresAt: Date.now() - 1 })).rejects.toThrow(/future/);
});

test("a revoked key stops immediately in this process, and within five seconds in others", async () => {
  const { ctx } = await testProject();
  const { apiKey, secret } = await createApiKey(ctx, { name: "gone" });
  await verifyApiKey(db(), secret);
  expect(await revokeApiKey(ctx, { keyId: apiKey.id })).toEqual({ ok: true });
  await expect(verifyApiKey(db(), secret)).rejects.toMatchObject(refused);
  expect(KEY_CACHE_MS).toBeLessThan(5000);
});

test("a key revoked by another process is refused once the cache entry expires", async () => {
  const { ctx } = await testProject();
  const { secret } = await createApiKey(ctx, { name: "elsewhere" });
  await verifyApiKey(db(), secret);
  await db().update(apiKeys).set({ revokedAt: Date.now() }).where(eq(apiKeys.projectId, ctx.projectId));
  await verifyApiKey(db(), secret); // runs no query: this saves ingest one query per request
  await vi.waitFor(() => expect(verifyApiKey(db(), secret)).rejects.toMatchObject(refused), {
    timeout: 30_000,
    interval: 100,
  });
});

test("a key in use is read again before it expires, and nobody waits for that; a revocation meanwhile holds", async () => {
  const { ctx } = await testProject();
  const { apiKey, secret } = await createApiKey(ctx, { name: "busy" });
  await verifyApiKey(db(), secret);
  const read = Promise.withResolvers<unknown[]>();
  let reads = 0;
  const where = () => {
    reads++;
    return read.promise;
  };
  const slow = { select: () => ({ from: () => ({ where }) }) };
  await expect.poll(() => verifyApiKey(slow as never, secret).then(() => reads), { timeout: 30_000 }).toBe(1);
  const [before] = await db().select().from(apiKeys).where(eq(apiKeys.id, apiKey.id));
  await revokeApiKey(ctx, { keyId: apiKey.id });
  read.resolve([{ key: before, readAt: Date.now() }]);
  // The reader has gone on by then.
  await new Promise(setImmediate);
  await expect(verifyApiKey(db(), secret)).rejects.toMatchObject(refused);
});

test("revoking a key again keeps the first time, and another project cannot revoke it", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  const { apiKey, secret } = await createApiKey(ctx, { name: "k" });
  await expect(revokeApiKey(theirs.ctx, { keyId: apiKey.id })).rejects.toMatchObject({ code: "not_found" });
  await verifyApiKey(db(), secret);
  await revokeApiKey(ctx, { keyId: apiKey.id });
  const first = (await listApiKeys(ctx, {})).apiKeys[0]?.revokedAt;
  await revokeApiKey(ctx, { keyId: apiKey.id });
  expect((await listApiKeys(ctx, {})).apiKeys[0]).toMatchObject({ status: "revoked", revokedAt: first });
});

test("the last use is recorded in the background, at most once a minute", async () => {
  const { ctx } = await testProject();
  const { secret } = await createApiKey(ctx, { name: "used" });
  const lastUsedAt = async () => (await listApiKeys(ctx, {})).apiKeys[0]?.lastUsedAt;
  await verifyApiKey(db(), secret);
  await expect.poll(lastUsedAt).toBeGreaterThan(Date.now() - 10_000);
  const noted = await lastUsedAt();
  await verifyApiKey(db(), secret);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await lastUsedAt()).toBe(noted);
});

test("only project:admin manages keys, and no one can grant capabilities that they lack", async () => {
  const { ctx, asKey } = await testProject();
  const manager = (await testProject("manager")).ctx;
  for (const call of [
    createApiKey(manager, { name: "x" }),
    listApiKeys(manager, {}),
    revokeApiKey(manager, { keyId: "key_1" }),
  ]) {
    await expect(call).rejects.toMatchObject({ code: "forbidden" });
  }
  await expect(
    createApiKey(asKey("project:admin"), { name: "x", capabilities: ["models:manage"] }),
  ).rejects.toMatchObject({
    code: "forbidden",
    message: "You cannot grant capabilities that you do not have: models:manage.",
  });
  expect((await createApiKey(ctx, { name: "all", capabilities: [...CAPABILITIES] })).apiKey.capabilities).toEqual([
    ...CAPABILITIES,
  ]);
});

test("an unknown capability is refused, and one that is stored but no longer known grants nothing", async () => {
  const { ctx } = await testProject();
  await expect(createApiKey(ctx, { name: "x", capabilities: ["everything" as never] })).rejects.toThrow();
  const { apiKey, secret } = await createApiKey(ctx, { name: "old", capabilities: ["diagnostics:read"] });
  await db()
    .update(apiKeys)
    .set({ capabilities: ["all:of:it", "diagnostics:read"] })
    .where(eq(apiKeys.id, apiKey.id));
  expect((await verifyApiKey(db(), secret)).actor.capabilities).toEqual(["diagnostics:read"]);
});

test("paging returns every key once, and an invalid cursor is refused", async () => {
  const { ctx } = await testProject();
  for (const name of ["a", "b", "c", "d", "e"]) {
    await issueApiKey(ctx.db, { projectId: ctx.projectId, name, capabilities: [], expiresAt: null, createdBy: null });
  }
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listApiKeys(ctx, { limit: 2, cursor });
    names.push(...page.apiKeys.map(({ name }) => name));
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor);
  expect(names).toEqual(["e", "d", "c", "b", "a"]);
  await expect(listApiKeys(ctx, { cursor: "bm90IG91cnM" })).rejects.toMatchObject({
    code: "invalid",
    errors: [{ path: "/cursor" }],
  });
});

test("concurrent requests with one key run one query", async () => {
  const { ctx } = await testProject();
  const { secret } = await createApiKey(ctx, { name: "burst" });
  const select = vi.spyOn(db(), "select");
  await Promise.all(Array.from({ length: 50 }, () => verifyApiKey(db(), secret)));
  expect(select).toHaveBeenCalledTimes(1);
  select.mockRestore();
});
