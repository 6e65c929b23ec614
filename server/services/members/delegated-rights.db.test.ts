import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { apiKeys, invitations, memberships } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES, ROLE_CAPABILITIES, ROLES } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { ctxForKey } from "@/server/rest/testing";
import { createApiKey, listApiKeys, revokeApiKey, verifyApiKey } from "@/server/services/api-keys";
import { createPasswordReset, createUser } from "@/server/services/identity";
import { roleIn } from "@/server/services/projects";
import {
  acceptInvitation,
  changeRole,
  findInvitation,
  inviteMember,
  joinByInvitation,
  listInvitations,
  transferOwnership,
} from ".";

/** The rights that a key passes on, and how long they are valid. */

const HOUR_MS = 3_600_000;
const closed = { code: "forbidden", message: expect.stringContaining("was revoked") };
const account = async () => {
  const { id } = await createUser(db(), { email: `${crypto.randomUUID()}@example.test`, password: "correct horse" });
  return { db: db(), userId: id };
};
const acting = ({ apiKey }: Awaited<ReturnType<typeof createApiKey>>, ctx: Ctx) => ({
  ...ctx,
  actor: { kind: "apiKey" as const, keyId: apiKey.id, capabilities: apiKey.capabilities },
});
const statusesOf = async (ctx: Ctx) => (await listApiKeys(ctx, {})).apiKeys.map(({ name, status }) => [name, status]);

test("a key cannot grant roles or capabilities beyond its own", async () => {
  const { ctx } = await testProject();
  const { userId } = await account();
  await db().insert(memberships).values({ projectId: ctx.projectId, userId, role: "viewer" });
  const beyond = {
    code: "forbidden",
    message: expect.stringContaining("You cannot grant capabilities that you do not have"),
  };
  const admin = await ctxForKey(ctx, ["project:admin"]);
  for (const role of ROLES) {
    await expect(inviteMember(admin, { role }), role).rejects.toMatchObject(beyond);
    await expect(changeRole(admin, { userId, role }), role).rejects.toMatchObject(beyond);
  }
  await expect(createApiKey(admin, { name: "more", capabilities: ["diagnostics:read"] })).rejects.toMatchObject(beyond);

  const managing = await ctxForKey(ctx, ["project:admin", ...ROLE_CAPABILITIES.manager]);
  expect((await inviteMember(managing, { role: "manager" })).invitation.role).toBe("manager");
  expect((await changeRole(managing, { userId, role: "manager" })).member.role).toBe("manager");
  const short = await ctxForKey(
    ctx,
    CAPABILITIES.filter((one) => one !== "model-pricing:write"),
  );
  await expect(inviteMember(short, { role: "owner" })).rejects.toMatchObject(beyond);
  await expect(changeRole(short, { userId, role: "owner" })).rejects.toMatchObject(beyond);
  const fromUserId = ctx.actor.kind === "user" ? ctx.actor.userId : "";
  await expect(transferOwnership(short, { userId, fromUserId })).rejects.toMatchObject(beyond);
  expect(await roleIn(db(), { projectId: ctx.projectId, userId })).toBe("manager");
});

test("no key can create a password link", async () => {
  const { ctx, userId } = await testProject();
  const key = await ctxForKey(ctx, CAPABILITIES);
  await expect(createPasswordReset(key, { userId })).rejects.toMatchObject({ code: "forbidden" });
});

test("an invitation created with a key ends when the key is revoked, and members who joined stay", async () => {
  const { ctx } = await testProject();
  const key = await ctxForKey(ctx, CAPABILITIES);
  const [used, open] = [await inviteMember(key, { role: "owner" }), await inviteMember(key, { role: "viewer" })];
  const [ada, eve] = [await account(), await account()];
  await acceptInvitation(ada, { token: used.token });
  await revokeApiKey(ctx, { keyId: key.actor.keyId });
  await expect(acceptInvitation(eve, { token: open.token })).rejects.toMatchObject(closed);
  const join = { token: open.token, email: "eve2@example.test", password: "correct horse" };
  await expect(joinByInvitation(db(), join)).rejects.toMatchObject(closed);
  expect(await roleIn(db(), { projectId: ctx.projectId, userId: ada.userId })).toBe("owner");
  const { invitations: listed } = await listInvitations(ctx, {});
  expect(listed.map(({ status }) => status).sort()).toEqual(["accepted", "revoked"]);
});

test("accepting locks the issuing key, so a concurrent revocation never admits anybody", async () => {
  const { ctx } = await testProject();
  const key = await ctxForKey(ctx, CAPABILITIES);
  const { token } = await inviteMember(key, {});
  // As revoked by an earlier version: the key alone.
  await db().update(apiKeys).set({ revokedAt: NOW }).where(eq(apiKeys.id, key.actor.keyId));
  expect(await findInvitation(db(), token)).toBeNull();
  await expect(acceptInvitation(await account(), { token })).rejects.toMatchObject(closed);
  expect((await listInvitations(ctx, {})).invitations).toMatchObject([{ status: "revoked" }]);
  expect((await listInvitations(ctx, { pending: true })).invitations).toEqual([]);

  for (let round = 0; round < 5; round++) {
    const other = await ctxForKey(ctx, CAPABILITIES);
    const made = await inviteMember(other, {});
    const person = await account();
    const [accepted] = await Promise.allSettled([
      acceptInvitation(person, { token: made.token }),
      revokeApiKey(ctx, { keyId: other.actor.keyId }),
    ]);
    const role = await roleIn(db(), { projectId: ctx.projectId, userId: person.userId });
    expect(role !== undefined && role !== null).toBe(accepted.status === "fulfilled");
    const { acceptedAt, revokedAt } = (
      await db().select().from(invitations).where(eq(invitations.id, made.invitation.id))
    )[0]!;
    expect([acceptedAt, revokedAt].filter((at) => at !== null)).toHaveLength(1);
  }
});

test("everything that a key creates expires with the key at the latest", async () => {
  const { ctx } = await testProject();
  const endsAt = (await databaseNow(db())) + HOUR_MS;
  const key = await ctxForKey(ctx, CAPABILITIES, endsAt);
  const { invitation, token } = await inviteMember(key, { days: 30 });
  expect(invitation.expiresAt).toBe(endsAt);
  expect((await createApiKey(key, { name: "same" })).apiKey.expiresAt).toBe(endsAt);
  expect((await createApiKey(key, { name: "sooner", expiresAt: endsAt - 1 })).apiKey.expiresAt).toBe(endsAt - 1);
  await expect(createApiKey(key, { name: "later", expiresAt: endsAt + 1 })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/expiresAt" }],
  });
  await db().execute(sql`update api_keys set expires_at = ${NOW} - 1 where id = ${key.actor.keyId}`);
  await expect(acceptInvitation(await account(), { token })).rejects.toMatchObject(closed);
});

test("revoking a key revokes its descendants, and no other keys", async () => {
  const { ctx } = await testProject();
  const mine = await createApiKey(ctx, { name: "mine", capabilities: [...CAPABILITIES] });
  const child = await createApiKey(acting(mine, ctx), { name: "child", capabilities: [...CAPABILITIES] });
  const grandchild = await createApiKey(acting(child, ctx), { name: "grandchild" });
  const invited = await inviteMember(acting(child, ctx), {});
  await createApiKey(ctx, { name: "other" });
  await verifyApiKey(db(), grandchild.secret);

  await revokeApiKey(ctx, { keyId: mine.apiKey.id });
  expect(await statusesOf(ctx)).toEqual([
    ["other", "active"],
    ["grandchild", "revoked"],
    ["child", "revoked"],
    ["mine", "revoked"],
  ]);
  await expect(verifyApiKey(db(), grandchild.secret)).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await findInvitation(db(), invited.token)).toBeNull();
});

test("a key that was just revoked grants nothing, even in a process that still has it cached", async () => {
  const { ctx } = await testProject();
  const { userId } = await account();
  await db().insert(memberships).values({ projectId: ctx.projectId, userId, role: "viewer" });
  const key = await ctxForKey(ctx, CAPABILITIES);
  await revokeApiKey(ctx, { keyId: key.actor.keyId });
  const dead = { code: "unauthenticated" };
  await expect(createApiKey(key, { name: "copy" })).rejects.toMatchObject(dead);
  await expect(inviteMember(key, {})).rejects.toMatchObject(dead);
  await expect(changeRole(key, { userId, role: "owner" })).rejects.toMatchObject(dead);
});

test("a key created while its parent is being revoked does not outlive it", async () => {
  const { ctx } = await testProject();
  for (let round = 0; round < 5; round++) {
    const key = await ctxForKey(ctx, CAPABILITIES);
    await Promise.allSettled([
      ...["a", "b", "c"].map((name) => createApiKey(key, { name })),
      revokeApiKey(ctx, { keyId: key.actor.keyId }),
    ]);
  }
  expect((await statusesOf(ctx)).filter(([, status]) => status === "active")).toEqual([]);
});

test("an owner's invitation is refused once they are no longer an owner", async () => {
  const { ctx, userId } = await testProject();
  const { token } = await inviteMember(ctx, { role: "owner" });
  await db().update(memberships).set({ role: "viewer" }).where(eq(memberships.userId, userId));
  await expect(acceptInvitation(await account(), { token })).rejects.toMatchObject(closed);
});
