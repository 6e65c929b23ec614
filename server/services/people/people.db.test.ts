import { and, eq, isNull } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog, apiKeys, auditLog, invitations, memberships, sessions, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { AccountCtx, OperatorCtx } from "@/server/platform/context";
import { createApiKey, verifyApiKey } from "@/server/services/api-keys";
import {
  createUser,
  findPasswordReset,
  getMe,
  operatorPasswordReset,
  readSession,
  renameMe,
  signInWithPassword,
  startSession,
} from "@/server/services/identity";
import { findInvitation, inviteMember } from "@/server/services/members";
import { startProject } from "@/server/services/projects";
import { changeRights, disablePerson, enablePerson, erasePerson, getPerson, handOverProject, listPeople } from ".";

const PASSWORD = "correct horse";
const VISITOR = { request: { requestId: "r", address: "192.0.2.7", door: "page" as const } };
const operator = (): OperatorCtx => ({ db: db(), operator: true });
let made = 0;

async function newPerson(name = "Ada") {
  const user = await createUser(db(), { email: `person${++made}@example.test`, password: PASSWORD, name });
  const account: AccountCtx = { db: db(), userId: user.id, request: VISITOR.request };
  return { ...user, account };
}
type Somebody = Awaited<ReturnType<typeof newPerson>>;

const signIn = ({ email }: Somebody) => signInWithPassword(db(), { email, password: PASSWORD, visitor: VISITOR });

/** Creates a project of this person's, with a key created by them. */
async function projectOf(person: Somebody) {
  const { ctx } = await testProject();
  await db().delete(memberships).where(eq(memberships.projectId, ctx.projectId));
  await db().insert(memberships).values({ projectId: ctx.projectId, userId: person.id, role: "owner" });
  const asOwner = { ...ctx, actor: { kind: "user" as const, userId: person.id, role: "owner" as const } };
  const { secret, apiKey } = await createApiKey(asOwner, { name: "theirs" });
  return { ctx: asOwner, projectId: ctx.projectId, secret, keyId: apiKey.id };
}

/** The first person of this installation. */
let owner: Somebody;
beforeAll(async () => {
  owner = await newPerson("Grace");
});

describe("permissions", () => {
  test("only the first person owns the installation", async () => {
    const { person } = await getPerson(operator(), { userId: owner.id });
    expect(person).toMatchObject({ installationOwner: true, mayCreateProjects: true });
    const later = await newPerson();
    expect((await getMe(later.account, {})).rights).toEqual([]);
    expect((await getMe(owner.account, {})).rights).toEqual(["people:manage", "projects:create", "trainers:manage"]);
  });

  test("only owners of the installation and the operator manage people", async () => {
    const [one, other] = [await newPerson(), await newPerson()];
    const { userId } = await testProject();
    for (const account of [one.account, { db: db(), userId }]) {
      const refused = { code: "forbidden", message: "Only owners of the installation may do this." };
      await expect(listPeople(account, {})).rejects.toMatchObject(refused);
      await expect(getPerson(account, { userId: other.id })).rejects.toMatchObject(refused);
      await expect(disablePerson(account, { userId: other.id })).rejects.toMatchObject(refused);
      await expect(changeRights(account, { userId: one.id, installationOwner: true })).rejects.toMatchObject(refused);
      await expect(erasePerson(account, { userId: other.id, email: other.email })).rejects.toMatchObject(refused);
    }
    await changeRights(owner.account, { userId: one.id, installationOwner: true });
    await expect(disablePerson(one.account, { userId: other.id })).resolves.toMatchObject({ sessionsEnded: 0 });
    await changeRights(operator(), { userId: one.id, installationOwner: false });
    await expect(enablePerson(one.account, { userId: other.id })).rejects.toMatchObject({ code: "forbidden" });
  });

  test("owners grant and revoke the right to create projects", async () => {
    const person = await newPerson();
    const start = () => startProject(person.account, { name: "Theirs" });
    await expect(start()).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("Ask an owner of this installation"),
    });
    await changeRights(owner.account, { userId: person.id, mayCreateProjects: true });
    await expect(start()).resolves.toMatchObject({ project: { name: "Theirs" } });
    await changeRights(owner.account, { userId: person.id, mayCreateProjects: false });
    await expect(start()).rejects.toMatchObject({ code: "forbidden" });
  });
});

test("the list has each person's projects, rights and last sign-in, page by page", async () => {
  const person = await newPerson("Barbara");
  const { projectId } = await projectOf(person);
  await signIn(person);
  const { people } = await listPeople(owner.account, {});
  expect(people.find(({ id }) => id === person.id)).toMatchObject({
    name: "Barbara",
    disabledAt: null,
    lastSignInAt: expect.any(Number),
    projectCount: 1,
    projects: [{ id: projectId, role: "owner" }],
  });
  const first = await listPeople(owner.account, { limit: 1 });
  const next = await listPeople(owner.account, { limit: 1, cursor: first.pagination.nextCursor ?? "" });
  expect([...first.people, ...next.people]).toEqual(people.slice(0, 2));
});

describe("disabling", () => {
  test("ends every session and link immediately, and prevents signing in", async () => {
    const person = await newPerson();
    const { ctx } = await projectOf(person);
    const session = await startSession(db(), { userId: person.id });
    const { token } = await inviteMember(ctx, { role: "viewer" });
    const reset = await operatorPasswordReset(db(), person.email);
    const done = await disablePerson(owner.account, { userId: person.id });
    expect(done).toMatchObject({
      sessionsEnded: 1,
      keysRevoked: 0,
      keysLeft: 1,
      person: { disabledAt: expect.any(Number) },
    });
    expect(await readSession(db(), session)).toBeNull();
    expect(await findInvitation(db(), token)).toBeNull();
    expect(await findPasswordReset(db(), reset.token)).toBeNull();
    await expect(signIn(person)).rejects.toMatchObject({
      code: "forbidden",
      message: "This account is disabled. Ask an owner of this installation to enable it.",
    });
    // Without the right password, they get the usual message.
    expect(await signInWithPassword(db(), { email: person.email, password: "wrong", visitor: VISITOR })).toBeNull();
    await enablePerson(owner.account, { userId: person.id });
    expect(await readSession(db(), session)).toBeNull();
    expect(await signIn(person)).toMatchObject({ userId: person.id });
  });

  test("keeps a session created afterwards from working", async () => {
    const person = await newPerson();
    await disablePerson(owner.account, { userId: person.id });
    const session = await startSession(db(), { userId: person.id });
    expect(await readSession(db(), session)).toBeNull();
  });

  test("reports remaining keys, and revokes the person's keys in every project on request", async () => {
    const [person, other] = [await newPerson(), await newPerson()];
    const [one, two, foreign] = [await projectOf(person), await projectOf(person), await projectOf(other)];
    expect((await getPerson(owner.account, { userId: person.id })).impact).toMatchObject({ activeKeyCount: 2 });
    const done = await disablePerson(owner.account, { userId: person.id, revokeKeys: true });
    expect(done).toMatchObject({ keysRevoked: 2, keysLeft: 0 });
    for (const { secret } of [one, two]) await expect(verifyApiKey(db(), secret)).rejects.toThrow("revoked");
    await expect(verifyApiKey(db(), foreign.secret)).resolves.toMatchObject({ projectId: foreign.projectId });
  });

  test("never leaves the installation without an owner, and is not possible for oneself", async () => {
    await expect(disablePerson(owner.account, { userId: owner.id })).rejects.toMatchObject({ code: "conflict" });
    await expect(disablePerson(operator(), { userId: owner.id })).rejects.toThrow("last owner");
    await expect(changeRights(operator(), { userId: owner.id, installationOwner: false })).rejects.toThrow(
      "last owner",
    );
    const second = await newPerson();
    await changeRights(owner.account, { userId: second.id, installationOwner: true });
    // Of two concurrent calls, only one succeeds.
    const both = await Promise.allSettled([
      disablePerson(second.account, { userId: owner.id }),
      disablePerson(owner.account, { userId: second.id }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await enablePerson(operator(), { userId: owner.id });
    await changeRights(operator(), { userId: owner.id, installationOwner: true });
    await changeRights(operator(), { userId: second.id, installationOwner: false });
  });
});

describe("erasing", () => {
  test("removes the account and its sign-in methods, and keeps its actions under an id", async () => {
    const person = await newPerson("Hedy Lamarr");
    const { ctx, projectId } = await projectOf(person);
    const heir = await newPerson("Heir");
    await db().insert(memberships).values({ projectId, userId: heir.id, role: "owner" });
    await signIn(person);
    await renameMe(person.account, { name: "Hedy L." });
    await renameMe(person.account, { name: "Hedy Lamarr" });
    await inviteMember(
      { ...ctx, actor: { kind: "user", userId: heir.id, role: "owner" } },
      { email: person.email.toUpperCase() },
    );
    const bystander = `not-${person.email}`;
    await inviteMember(ctx, { email: bystander });
    const rows = async () => [
      ...(await db().select().from(auditLog).where(eq(auditLog.projectId, projectId))),
      ...(await db().select().from(accountAuditLog).where(eq(accountAuditLog.userId, person.id))),
    ];
    const before = await rows();
    expect(JSON.stringify(before)).toMatch(new RegExp(`${person.email}.*Hedy.*192.0.2.7|192.0.2.7`, "is"));
    const { impact } = await getPerson(owner.account, { userId: person.id });
    expect(impact).toMatchObject({ sessions: 1, activeKeyCount: 1, soleOwnerOf: [] });

    await expect(erasePerson(owner.account, { userId: person.id, email: "other@example.test" })).rejects.toMatchObject({
      code: "unprocessable",
      errors: [{ path: "/email" }],
    });
    expect(await erasePerson(owner.account, { userId: person.id, email: person.email })).toEqual({
      ok: true,
      keysRevoked: 0,
      keysLeft: 1,
    });

    const after = await rows();
    // Actions, times and ids are unchanged, and one row records the erasure.
    const bones = (all: typeof before) =>
      all.map(({ id, action, actorId, targetId, createdAt }) => ({ id, action, actorId, targetId, createdAt }));
    const erased = after.filter(({ action }) => action === "people.erase");
    expect(erased).toMatchObject([{ actorId: owner.id, targetId: person.id, before: null }]);
    const kept = after.filter(({ action }) => action !== "people.erase");
    expect(bones(kept).sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      bones(before).sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
    expect(JSON.stringify(after)).not.toMatch(new RegExp(`(?<!not-)${person.email}|Hedy`, "i"));
    expect(kept.filter(({ actorId }) => actorId === person.id).map(({ address }) => address)).toEqual(
      kept.filter(({ actorId }) => actorId === person.id).map(() => null),
    );
    expect(JSON.stringify(after)).toContain(bystander);

    expect(await db().$count(users, eq(users.id, person.id))).toBe(0);
    expect(await db().$count(sessions, eq(sessions.userId, person.id))).toBe(0);
    expect(await db().$count(memberships, eq(memberships.userId, person.id))).toBe(0);
    const theirs = await db().select().from(invitations).where(eq(invitations.projectId, projectId));
    expect(theirs.map(({ email }) => email)).toEqual([bystander]);
    await expect(getPerson(owner.account, { userId: person.id })).rejects.toMatchObject({ code: "not_found" });
    // The address is free again: its next holder is a different person.
    const next = await createUser(db(), { email: person.email });
    expect(next.id).not.toBe(person.id);
  });

  test("the application cannot change the log of a person who is not erased", async () => {
    const person = await newPerson("Kay");
    const mine = eq(accountAuditLog.userId, person.id);
    await renameMe(person.account, { name: "Kay McNulty" });
    const before = await db().select().from(accountAuditLog).where(mine);
    await db().execute("set whetstone.forgetting = 'on'");
    await expect(db().update(accountAuditLog).set({ after: {} }).where(mine)).rejects.toThrow();
    expect(await db().select().from(accountAuditLog).where(mine)).toEqual(before);
  });

  test("needs the only owner of a project to transfer it first, and the error names the project", async () => {
    const [person, heir] = [await newPerson(), await newPerson()];
    const { projectId } = await projectOf(person);
    const disabled = await newPerson();
    await db().insert(memberships).values({ projectId, userId: disabled.id, role: "owner" });
    await disablePerson(owner.account, { userId: disabled.id });
    const erase = () => erasePerson(owner.account, { userId: person.id, email: person.email, revokeKeys: true });
    await expect(erase()).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`“Test project” (${projectId})`),
      errors: [{ path: "/userId", message: expect.stringContaining(projectId) }],
    });
    expect((await getPerson(owner.account, { userId: person.id })).impact.soleOwnerOf).toEqual([
      { id: projectId, name: "Test project" },
    ]);
    const given = { userId: person.id, projectId, toUserId: heir.id };
    await expect(handOverProject(owner.account, { ...given, toUserId: disabled.id })).rejects.toMatchObject({
      code: "unprocessable",
    });
    await handOverProject(owner.account, given);
    const roles = await db().select().from(memberships).where(eq(memberships.projectId, projectId));
    expect(roles.find(({ userId }) => userId === heir.id)?.role).toBe("owner");
    expect(roles.find(({ userId }) => userId === person.id)?.role).toBe("manager");
    // A project with an owner who can sign in is that owner's to transfer.
    await expect(
      handOverProject(owner.account, { ...given, userId: heir.id, toUserId: person.id }),
    ).resolves.toBeDefined();
    await handOverProject(owner.account, given);
    await expect(erase()).resolves.toMatchObject({ keysRevoked: 1, keysLeft: 0 });
    const keys = await db()
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.projectId, projectId), isNull(apiKeys.revokedAt)));
    expect(keys).toEqual([]);
  });

  test("the installation's owners cannot hand over a project that has another owner", async () => {
    const [person, other, heir] = [await newPerson(), await newPerson(), await newPerson()];
    const { projectId } = await projectOf(person);
    await db().insert(memberships).values({ projectId, userId: other.id, role: "owner" });
    await expect(
      handOverProject(owner.account, { userId: person.id, projectId, toUserId: heir.id }),
    ).rejects.toMatchObject({ code: "conflict" });
  });
});
