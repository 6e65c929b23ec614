import { and, eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { invitations, memberships, passwordResets, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES, ROLE_CAPABILITIES, type Role } from "@/server/platform/capabilities";
import type { AccountCtx, Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { cookieFor, ctxForKey, keyFor, requestTo } from "@/server/rest/testing";
import { createApiKey, revokeApiKey, verifyApiKey } from "@/server/services/api-keys";
import { listAudit } from "@/server/services/audit";
import {
  changePassword,
  createPasswordReset,
  createUser,
  endMySession,
  endOtherSessions,
  findPasswordReset,
  listSessions,
  operatorPasswordReset,
  readSession,
  renameMe,
  resetPassword,
  startSession,
  verifyPassword,
} from "@/server/services/identity";
import { countInOneWindow } from "@/server/services/identity/testing";
import { roleIn } from "@/server/services/projects";
import { handleTrpc } from "@/server/trpc/handler";
import {
  acceptInvitation,
  changeRole,
  findInvitation,
  inviteMember,
  joinByInvitation,
  leaveProject,
  listInvitations,
  listMembers,
  removeMember,
  revokeInvitation,
  transferOwnership,
} from ".";

beforeAll(countInOneWindow);

let people = 0;
const PASSWORD = "correct horse";
async function person() {
  const user = await createUser(db(), { email: `member${++people}@example.test`, password: PASSWORD, name: "Ada" });
  const account: AccountCtx = { db: db(), userId: user.id };
  return { ...user, account };
}
async function memberOf(ctx: Ctx, role: Role) {
  const one = await person();
  await db().insert(memberships).values({ projectId: ctx.projectId, userId: one.id, role });
  return { ...one, ctx: { ...ctx, actor: { kind: "user" as const, userId: one.id, role } } };
}
/** Creates a reset link that is shown to its creator. */
async function shownReset(ctx: Ctx, userId: string) {
  const { token, link } = await createPasswordReset(ctx, { userId });
  if (token === null) throw new Error("The link was not shown.");
  return { token, link };
}
const roleNow = (ctx: Ctx, userId: string) => roleIn(db(), { projectId: ctx.projectId, userId });
const signIn = (email: string, password: string) => verifyPassword(db(), { email, password, address: "192.0.2.1" });

test("a person without an account joins by a link, once, and signs in with their password", async () => {
  const { ctx } = await testProject();
  const { invitation, token, link } = await inviteMember(ctx, { role: "editor", email: "New@example.test" });
  expect(invitation).toMatchObject({ role: "editor", status: "pending", email: "New@example.test" });
  expect(link).toMatch(/\/invite#token=/);
  expect(JSON.stringify(await listInvitations(ctx, {}))).not.toContain(token);
  expect(await db().select().from(invitations).where(eq(invitations.tokenHash, token))).toEqual([]);
  expect(await findInvitation(db(), token)).toMatchObject({ projectName: "Test project", role: "editor" });

  const given = { token, email: "new@example.test", password: PASSWORD };
  await expect(joinByInvitation(db(), { ...given, email: "other@example.test" })).rejects.toMatchObject({
    code: "forbidden",
  });
  expect(await signIn("other@example.test", PASSWORD)).toBeNull();
  const joined = await joinByInvitation(db(), given);
  expect(joined.project.id).toBe(ctx.projectId);
  expect(await roleNow(ctx, joined.user.id)).toBe("editor");
  expect(await signIn("new@example.test", PASSWORD)).toMatchObject({ id: joined.user.id });
  expect(await findInvitation(db(), token)).toBeNull();
  await expect(joinByInvitation(db(), { ...given, email: "next@example.test" })).rejects.toMatchObject({
    code: "forbidden",
  });
  expect((await listInvitations(ctx, {})).invitations).toMatchObject([
    { status: "accepted", acceptedBy: joined.user.id },
  ]);
  expect((await listInvitations(ctx, { pending: true })).invitations).toEqual([]);
});

test("a link for one address does not tell which other addresses have an account", async () => {
  const { ctx } = await testProject();
  const { token } = await inviteMember(ctx, { email: "invited@example.test" });
  const known = await person();
  const told = (email: string) =>
    joinByInvitation(db(), { token, email, password: PASSWORD }).catch(({ code, message }) => ({ code, message }));
  expect(await told(known.email)).toEqual(await told("nobody@example.test"));
});

test("a link used concurrently admits one person", async () => {
  const { ctx } = await testProject();
  const { token } = await inviteMember(ctx, {});
  const many = await Promise.all(Array.from({ length: 6 }, person));
  const tries = await Promise.allSettled(many.map(({ account }) => acceptInvitation(account, { token })));
  expect(tries.filter((one) => one.status === "fulfilled")).toHaveLength(1);
  expect((await listMembers(ctx, {})).members).toHaveLength(2);
});

test("a signed-in person accepts an invitation, and used, revoked and expired links are refused", async () => {
  const { ctx } = await testProject();
  const ada = await person();
  const [first, second, third] = [
    await inviteMember(ctx, {}),
    await inviteMember(ctx, {}),
    await inviteMember(ctx, {}),
  ];
  expect(await acceptInvitation(ada.account, { token: first.token })).toMatchObject({ role: "viewer" });
  await expect(acceptInvitation(ada.account, { token: second.token })).rejects.toMatchObject({ code: "conflict" });
  const other = await person();
  await revokeInvitation(ctx, { invitationId: second.invitation.id });
  await revokeInvitation(ctx, { invitationId: second.invitation.id });
  await expect(acceptInvitation(other.account, { token: second.token })).rejects.toMatchObject({ code: "forbidden" });
  await expect(revokeInvitation(ctx, { invitationId: first.invitation.id })).rejects.toMatchObject({
    code: "conflict",
  });
  await db().update(invitations).set({ expiresAt: 1 }).where(eq(invitations.id, third.invitation.id));
  await expect(acceptInvitation(other.account, { token: third.token })).rejects.toMatchObject({ code: "forbidden" });
  expect((await listInvitations(ctx, {})).invitations.map(({ status }) => status).sort()).toEqual([
    "accepted",
    "expired",
    "revoked",
  ]);
  await expect(
    joinByInvitation(db(), { token: (await inviteMember(ctx, {})).token, email: ada.email, password: PASSWORD }),
  ).rejects.toMatchObject({ code: "conflict" });
});

test("one owner remains when two owners demote, remove or leave concurrently", async () => {
  for (let round = 0; round < 5; round++) {
    const { ctx, userId } = await testProject();
    const second = await memberOf(ctx, "owner");
    const tries = await Promise.allSettled([
      changeRole(ctx, { userId: second.id, role: "viewer" }),
      removeMember(second.ctx, { userId }),
      leaveProject(second.account, { projectId: ctx.projectId }),
      leaveProject({ db: db(), userId }, { projectId: ctx.projectId }),
    ]);
    const owners = and(eq(memberships.projectId, ctx.projectId), eq(memberships.role, "owner"));
    expect(await db().$count(memberships, owners)).toBe(1);
    expect(tries.some((one) => one.status === "rejected")).toBe(true);
  }
});

test("removing a member reports their remaining keys, and revokes them on request, in this project only", async () => {
  const { ctx } = await testProject();
  const [ada, eve] = [await memberOf(ctx, "owner"), await memberOf(ctx, "owner")];
  const elsewhere = await testProject();
  await db().insert(memberships).values({ projectId: elsewhere.ctx.projectId, userId: ada.id, role: "owner" });
  const keyOf = (maker: typeof ada, projectId = ctx.projectId) =>
    createApiKey({ ...maker.ctx, projectId }, { name: "known to its maker" });
  const [one, two, hers, other] = [
    await keyOf(ada),
    await keyOf(ada),
    await keyOf(eve),
    await keyOf(ada, elsewhere.ctx.projectId),
  ];
  await revokeApiKey(ctx, { keyId: two.apiKey.id });
  const { members } = await listMembers(ctx, {});
  expect(members.find(({ userId }) => userId === ada.id)).toMatchObject({ activeKeyCount: 1 });
  expect(await removeMember(ctx, { userId: ada.id })).toEqual({ ok: true, keysRevoked: 0, keysLeft: 1 });
  await expect(verifyApiKey(db(), one.secret)).resolves.toBeDefined();
  await db().insert(memberships).values({ projectId: ctx.projectId, userId: ada.id, role: "owner" });
  expect(await removeMember(ctx, { userId: ada.id, revokeKeys: true })).toEqual({
    ok: true,
    keysRevoked: 1,
    keysLeft: 0,
  });
  await expect(verifyApiKey(db(), one.secret)).rejects.toThrow("revoked");
  for (const { secret } of [hers, other]) await expect(verifyApiKey(db(), secret)).resolves.toBeDefined();
  expect(await leaveProject(eve.account, { projectId: ctx.projectId, revokeKeys: true })).toMatchObject({
    keysRevoked: 1,
  });
  await expect(verifyApiKey(db(), hers.secret)).rejects.toThrow("revoked");
});

test("a disabled owner does not count as the remaining owner", async () => {
  const { ctx, userId } = await testProject();
  const other = await memberOf(ctx, "owner");
  await db().update(users).set({ disabledAt: 1 }).where(eq(users.id, other.id));
  await expect(leaveProject({ db: db(), userId }, { projectId: ctx.projectId })).rejects.toThrow("last owner");
  expect(await removeMember(ctx, { userId: other.id })).toMatchObject({ ok: true });
});

test("the last owner cannot leave, be demoted or be removed", async () => {
  const { ctx, userId, asKey } = await testProject();
  await memberOf(ctx, "manager");
  const key = asKey("project:admin");
  await expect(changeRole(ctx, { userId, role: "manager" })).rejects.toMatchObject({ code: "conflict" });
  await expect(removeMember(key, { userId })).rejects.toMatchObject({ code: "conflict" });
  await expect(leaveProject({ db: db(), userId }, { projectId: ctx.projectId })).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await changeRole(ctx, { userId, role: "owner" })).member.role).toBe("owner");
});

test("ownership is transferred in one step, and the former owner's links stop working", async () => {
  const { ctx, userId } = await testProject();
  const key = await ctxForKey(ctx, CAPABILITIES);
  const next = await memberOf(ctx, "viewer");
  const { token } = await inviteMember(ctx, { role: "owner" });
  await expect(transferOwnership(key, { userId: next.id })).rejects.toMatchObject({
    errors: [{ path: "/fromUserId" }],
  });
  expect((await transferOwnership(ctx, { userId: next.id })).member.role).toBe("owner");
  expect(await roleNow(ctx, userId)).toBe("manager");
  expect(await findInvitation(db(), token)).toBeNull();
  await expect(transferOwnership(ctx, { userId: next.id })).rejects.toMatchObject({ code: "conflict" });
  const stranger = await person();
  await expect(transferOwnership(key, { userId: stranger.id, fromUserId: next.id })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a changed role and a removal take effect with the next request", async () => {
  const { ctx } = await testProject();
  const ada = await memberOf(ctx, "owner");
  const { cookie } = await cookieFor(ada.id);
  const ask = () => createDispatcher(OPERATIONS)(requestTo("GET", `/v1/projects/${ctx.projectId}/members`, { cookie }));
  expect((await ask()).status).toBe(200);
  await changeRole(ctx, { userId: ada.id, role: "viewer" });
  expect((await ask()).status).toBe(403);
  await removeMember(ctx, { userId: ada.id });
  expect((await ask()).status).toBe(404);
  await expect(removeMember(ctx, { userId: ada.id })).rejects.toMatchObject({ code: "not_found" });
});

test("only an owner manages members, and only those of their own project", async () => {
  const { ctx } = await testProject();
  const theirs = await testProject();
  for (const role of ["viewer", "editor", "manager"] as const) {
    const one = await memberOf(ctx, role);
    await expect(inviteMember(one.ctx, {})).rejects.toMatchObject({ code: "forbidden" });
    await expect(removeMember(one.ctx, { userId: one.id })).rejects.toMatchObject({ code: "forbidden" });
    await leaveProject(one.account, { projectId: ctx.projectId });
  }
  const { invitation } = await inviteMember(theirs.ctx, {});
  await expect(revokeInvitation(ctx, { invitationId: invitation.id })).rejects.toMatchObject({ code: "not_found" });
  for (const verb of [removeMember, createPasswordReset]) {
    await expect(verb(ctx, { userId: theirs.userId })).rejects.toMatchObject({ code: "not_found" });
  }
  await expect(changeRole(ctx, { userId: theirs.userId, role: "viewer" })).rejects.toMatchObject({ code: "not_found" });
});

test("members are invited, listed and removed over /v1 with a key", async () => {
  const { ctx, userId } = await testProject();
  const key = await keyFor(ctx, "project:admin", ...ROLE_CAPABILITIES.editor);
  const at = `/v1/projects/${ctx.projectId}`;
  const send = createDispatcher(OPERATIONS);
  const invited = await send(requestTo("POST", `${at}/invitations`, { key, body: { role: "editor" } }));
  expect(invited.status).toBe(201);
  const { invitation, token } = (await invited.json()) as { invitation: { id: string }; token: string };
  const ada = await person();
  await acceptInvitation(ada.account, { token });
  const listed = (await (await send(requestTo("GET", `${at}/members?limit=1`, { key }))).json()) as {
    members: { userId: string }[];
    pagination: { nextCursor: string };
  };
  expect(listed.members.map((one) => one.userId)).toEqual([ada.id]);
  const rest = await send(requestTo("GET", `${at}/members?limit=1&cursor=${listed.pagination.nextCursor}`, { key }));
  expect(await rest.json()).toMatchObject({ members: [{ userId, role: "owner" }], pagination: { nextCursor: null } });
  expect((await send(requestTo("DELETE", `${at}/members/${ada.id}`, { key }))).status).toBe(200);
  expect((await send(requestTo("DELETE", `${at}/invitations/${invitation.id}`, { key }))).status).toBe(409);
  const reset = requestTo("POST", `${at}/members/${userId}/password-resets`, { key, body: {} });
  expect(await (await send(reset)).json()).toMatchObject({ status: 403, code: "forbidden" });
});

test("an owner's link sets a new password once and signs the person out everywhere", async () => {
  const { ctx } = await testProject();
  const ada = await memberOf(ctx, "editor");
  const sessionId = await startSession(db(), { userId: ada.id });
  const stale = await shownReset(ctx, ada.id);
  const { token, link } = await shownReset(ctx, ada.id);
  expect(link).toMatch(/\/reset#token=/);
  const password = "a new long password";
  await expect(resetPassword(db(), { token: stale.token, password })).rejects.toMatchObject({ code: "forbidden" });
  const tries = await Promise.allSettled([1, 2, 3].map(() => resetPassword(db(), { token, password })));
  expect(tries.filter((one) => one.status === "fulfilled")).toHaveLength(1);
  expect(await readSession(db(), sessionId)).toBeNull();
  expect(await signIn(ada.email, PASSWORD)).toBeNull();
  expect(await signIn(ada.email, password)).toMatchObject({ id: ada.id });
});

test("an owner cannot use a reset link to get into other projects", async () => {
  const { ctx } = await testProject();
  const elsewhere = await testProject();
  const ada = await memberOf(ctx, "viewer");
  const { token } = await shownReset(ctx, ada.id);
  expect(await findPasswordReset(db(), token)).toMatchObject({ email: ada.email });
  await db().insert(memberships).values({ projectId: elsewhere.ctx.projectId, userId: ada.id, role: "owner" });
  await expect(createPasswordReset(ctx, { userId: ada.id })).rejects.toMatchObject({ code: "conflict" });
  // An earlier link is worth no more than a new one.
  expect(await findPasswordReset(db(), token)).toBeNull();
  const operators = await operatorPasswordReset(db(), ada.email);
  expect(await findPasswordReset(db(), operators.token)).toMatchObject({ email: ada.email });
  await db().update(passwordResets).set({ expiresAt: 1 });
  expect(await findPasswordReset(db(), operators.token)).toBeNull();
});

test("a changed password ends the links that could set it again", async () => {
  const { ctx } = await testProject();
  const ada = await memberOf(ctx, "editor");
  const { token } = await shownReset(ctx, ada.id);
  await changePassword(ada.account, { currentPassword: PASSWORD, newPassword: "another password" });
  expect(await findPasswordReset(db(), token)).toBeNull();
});

test("changing a password signs other browsers out, and wrong attempts are limited", async () => {
  const ada = await person();
  const [here, there] = [await startSession(db(), { userId: ada.id }), await startSession(db(), { userId: ada.id })];
  const account = { ...ada.account, sessionId: here };
  const change = { currentPassword: PASSWORD, newPassword: "another password" };
  await expect(changePassword(account, { ...change, currentPassword: "wrong" })).rejects.toMatchObject({
    errors: [{ path: "/currentPassword" }],
  });
  expect(await changePassword(account, change)).toEqual({ ended: 1 });
  expect(await readSession(db(), here)).not.toBeNull();
  expect(await readSession(db(), there)).toBeNull();
  expect(await signIn(ada.email, "another password")).not.toBeNull();
  const guesses = Array.from({ length: 12 }, () => changePassword(account, change).catch((error) => error.code));
  expect(await Promise.all(guesses)).toContain("rate_limited");
});

test("a person sees and ends only their own sessions", async () => {
  const [ada, eve] = [await person(), await person()];
  const ids = [];
  for (const userAgent of ["Firefox", "Safari", "Phone"])
    ids.push(await startSession(db(), { userId: ada.id, userAgent }));
  const account = { ...ada.account, sessionId: ids[0] };
  expect((await listSessions(account, {})).sessions.map((one) => [one.userAgent, one.current])).toEqual([
    ["Phone", false],
    ["Safari", false],
    ["Firefox", true],
  ]);
  await expect(endMySession(eve.account, { sessionId: ids[1] as string })).rejects.toMatchObject({ code: "not_found" });
  await endMySession(account, { sessionId: ids[1] as string });
  expect(await readSession(db(), ids[1] as string)).toBeNull();
  expect(await endOtherSessions(account, {})).toEqual({ ended: 1 });
  expect((await listSessions(account, {})).sessions).toMatchObject([{ id: ids[0], current: true }]);
  expect((await renameMe(account, { name: "Ada L." })).user.name).toBe("Ada L.");
});

test("the holder of a link joins or sets a password in the browser, and the log records the address", async () => {
  const { ctx } = await testProject();
  const tell = async (path: string, input: object) => {
    const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": "203.0.113.7", "x-request-id": "req-link" };
    const reply = await handleTrpc(requestTo("POST", `/api/trpc/${path}`, { body: input, headers }));
    return reply.status;
  };
  const { token } = await inviteMember(ctx, { role: "editor" });
  const email = "by-link@example.test";
  const inAddress = `/api/trpc/links.invitation?input=${encodeURIComponent(JSON.stringify({ token }))}`;
  expect((await handleTrpc(requestTo("GET", inAddress, {}))).status).toBe(405);
  expect(await tell("links.invitation", { token })).toBe(200);
  expect(await tell("links.join", { token, email, password: "short" })).toBe(400);
  expect(await tell("links.join", { token, email, password: PASSWORD })).toBe(200);
  expect(await tell("links.join", { token, email: "again@example.test", password: PASSWORD })).toBe(403);
  const { members } = await listMembers(ctx, {});
  const joined = members.find((one) => one.email === email);
  expect(joined).toMatchObject({ role: "editor", lastSeenAt: null });
  expect((await listAudit(ctx, { action: "invitations.accept" })).entries).toMatchObject([
    { actor: { id: joined?.userId }, door: "trpc", address: "203.0.113.7", requestId: "req-link" },
  ]);
  const reset = await shownReset(ctx, joined?.userId as string);
  expect(await tell("links.resetPassword", { token: reset.token, password: "a newer password" })).toBe(200);
  expect(await signIn(email, "a newer password")).not.toBeNull();
});
