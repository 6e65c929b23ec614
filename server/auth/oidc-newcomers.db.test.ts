import { and, asc, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { accountAuditLog, auditLog, identities, memberships, sessions, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { deleteProject } from "@/server/services/deletion";
import { createUser, readSession, startSession } from "@/server/services/identity";
import { acceptInvitation, inviteMember, joinByInvitation } from "@/server/services/members";
import { sessionOf } from "./session";
import { atProvider, browser, ORIGIN } from "./testing/browser";
import { CLIENT, type Forgery, startProvider } from "./testing/provider";

/** In its own file because the environment is read only once. Newcomers from two domains become viewers of everything. */
const provider = await startProvider({ redirectUri: `${ORIGIN}/api/auth/callback/oidc` });
Object.assign(process.env, {
  OIDC_ISSUER: `${provider.issuer}/`,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_NAME: "Acme",
  OIDC_ALLOWED_DOMAINS: "Example.test, example.org",
  OIDC_DEFAULT_ROLE: "viewer",
  OIDC_DEFAULT_PROJECTS: "*",
});
afterAll(() => provider.stop());
// The installation has already been set up.
beforeAll(() => testProject());

let people = 0;
/** Creates a person at the provider who has no account here. */
function someone(claims: Partial<Parameters<typeof provider.person>[1]> = {}) {
  const login = `login${++people}`;
  const told = { sub: `sub-${login}`, email: `${login}@example.test`, email_verified: true, ...claims };
  provider.person(login, told);
  return { login, ...told };
}
const accountOf = async (email: string) => (await db().select().from(users).where(eq(users.email, email)))[0];
const rolesOf = (userId: string) =>
  db()
    .select({ projectId: memberships.projectId, role: memberships.role })
    .from(memberships)
    .where(eq(memberships.userId, userId));
const told = (userId: string) =>
  db()
    .select()
    .from(accountAuditLog)
    .where(eq(accountAuditLog.userId, userId))
    .orderBy(asc(accountAuditLog.createdAt), asc(accountAuditLog.id));

test("a new person signs in, gets the default role in every project, and continues to the requested page", async () => {
  const one = await testProject();
  const two = await testProject();
  const doomed = await testProject();
  await deleteProject(doomed.ctx, { name: "Test project" });
  const { login, email } = someone({ name: "  Ada Lovelace " });
  const visitor = browser();
  expect(await visitor.signInThroughProvider(login, { next: `/p/${one.ctx.projectId}/findings?review=open` })).toBe(
    `/p/${one.ctx.projectId}/findings?review=open`,
  );
  const session = await sessionOf(db(), visitor.page());
  expect(session?.user).toMatchObject({ email, name: "Ada Lovelace" });
  const userId = session?.user.id ?? "";
  expect((await accountOf(email))?.passwordHash).toBeNull();
  const roles = await rolesOf(userId);
  for (const { ctx } of [one, two]) expect(roles).toContainEqual({ projectId: ctx.projectId, role: "viewer" });
  expect(roles.map(({ projectId }) => projectId)).not.toContain(doomed.ctx.projectId);

  expect(await told(userId)).toMatchObject([
    { action: "account.create", actorId: userId, after: { email, by: "Acme" }, address: visitor.address },
    { action: "account.signIn", sessionId: session?.id, after: { by: "Acme" }, door: "page" },
  ]);
  const rows = await db().select().from(auditLog).where(eq(auditLog.projectId, two.ctx.projectId));
  expect(rows).toMatchObject([{ action: "members.joinByDefault", actorId: userId, after: { role: "viewer" } }]);

  await visitor.signOut();
  expect(await sessionOf(db(), visitor.page())).toBeNull();
});

test("a session created through the provider lasts 12 h by the database's clock, however much it is used", async () => {
  const { login } = someone();
  const visitor = browser();
  await visitor.signInThroughProvider(login);
  const id = (await sessionOf(db(), visitor.page()))?.id ?? "";
  const row = async () => (await db().select().from(sessions).where(eq(sessions.id, id)))[0]!;
  const { createdAt, expiresAt } = await row();
  expect(Math.abs(expiresAt - createdAt - 12 * 3_600_000)).toBeLessThan(5_000);
  await db().update(sessions).set({ lastSeenAt: 1 }).where(eq(sessions.id, id));
  expect(await sessionOf(db(), visitor.page())).not.toBeNull();
  expect((await row()).expiresAt).toBe(expiresAt);
  await db().execute(sql`update sessions set expires_at = ${NOW} - 1 where id = ${id}`);
  expect(await sessionOf(db(), visitor.page())).toBeNull();
});

test("the second sign-in finds the same person, with their current role", async () => {
  const { ctx } = await testProject();
  const { login, email } = someone();
  await browser().signInThroughProvider(login);
  const { id: userId } = (await accountOf(email))!;
  await db()
    .delete(memberships)
    .where(and(eq(memberships.userId, userId), eq(memberships.projectId, ctx.projectId)));
  const again = browser();
  await again.signInThroughProvider(login);
  expect((await sessionOf(db(), again.page()))?.user.id).toBe(userId);
  expect((await rolesOf(userId)).map(({ projectId }) => projectId)).not.toContain(ctx.projectId);
});

test("a changed address at the provider keeps the account and its address", async () => {
  const { login, sub, email } = someone();
  await browser().signInThroughProvider(login);
  const { id: userId } = (await accountOf(email))!;
  provider.person(login, { sub, email: "married@example.org", email_verified: true });
  const later = browser();
  await later.signInThroughProvider(login);
  expect((await sessionOf(db(), later.page()))?.user).toMatchObject({ id: userId, email });
  expect(await accountOf("married@example.org")).toBeUndefined();
  expect(await db().select().from(identities).where(eq(identities.userId, userId))).toMatchObject([
    { issuer: provider.issuer, subject: sub, email: "married@example.org" },
  ]);

  // The provider has reassigned the old address to a different person.
  const heir = someone({ email });
  expect(await browser().signInThroughProvider(heir.login)).toBe("/sign-in?error=taken&next=%2F");
  await vi.waitFor(async () => {
    const rows = (await told(userId)).filter(({ action }) => action === "account.signInRefused");
    expect(rows).toMatchObject([{ actorKind: "visitor", after: { by: "Acme" } }]);
  }, 20_000);
});

test("another domain is refused, even for a person who signed in from an allowed one before", async () => {
  const stranger = someone({ email: "someone@evil.test" });
  const visitor = browser();
  expect(await visitor.signInThroughProvider(stranger.login, { next: "/p/prj_1" })).toBe(
    "/sign-in?error=domain&next=%2Fp%2Fprj_1",
  );
  expect(await sessionOf(db(), visitor.page())).toBeNull();
  for (const email of ["a@sub.example.test", "a@example.test.evil.test", "example.test@evil.test"]) {
    expect(await browser().signInThroughProvider(someone({ email }).login)).toMatch(/error=domain/);
  }
  const leaver = someone();
  await browser().signInThroughProvider(leaver.login);
  provider.person(leaver.login, { sub: leaver.sub, email: "leaver@elsewhere.test", email_verified: true });
  expect(await browser().signInThroughProvider(leaver.login)).toMatch(/error=domain/);
});

test("a disabled person cannot sign in through the provider", async () => {
  const leaver = someone();
  await browser().signInThroughProvider(leaver.login);
  await db().update(users).set({ disabledAt: 1 }).where(eq(users.email, leaver.email));
  const visitor = browser();
  expect(await visitor.signInThroughProvider(leaver.login)).toBe("/sign-in?error=disabled&next=%2F");
  expect(await sessionOf(db(), visitor.page())).toBeNull();
});

test("an unverified or missing address is refused and links no account", async () => {
  const ada = await createUser(db(), { email: "unverified@example.test", password: "a long password" });
  for (const claims of [
    { email: ada.email, email_verified: false },
    { email: ada.email, email_verified: undefined as never },
    { email: undefined as never },
    { email: "not an address" },
  ]) {
    expect(await browser().signInThroughProvider(someone(claims).login)).toBe("/sign-in?error=unverified&next=%2F");
  }
  expect(await db().$count(identities, eq(identities.userId, ada.id))).toBe(0);
});

test("an account with the verified address is linked, and keeps its password, projects and sessions", async () => {
  const { ctx, userId } = await testProject();
  const ada = await createUser(db(), { email: "Ada.Linked@example.test", password: "a long password" });
  await acceptInvitation({ db: db(), userId: ada.id }, { token: (await inviteMember(ctx, { role: "manager" })).token });
  const sessionId = await startSession(db(), { userId: ada.id });
  const { login } = someone({ email: "ada.linked@EXAMPLE.test", name: "Another Name" });
  const visitor = browser();
  await visitor.signInThroughProvider(login);
  expect((await sessionOf(db(), visitor.page()))?.user).toMatchObject({ id: ada.id, name: null });
  expect(await rolesOf(ada.id)).toEqual([{ projectId: ctx.projectId, role: "manager" }]);
  expect(await readSession(db(), sessionId)).not.toBeNull();
  expect((await browser().signIn(ada.email, "a long password")).body.url).toBe(`${ORIGIN}/`);
  expect((await told(ada.id)).find(({ action }) => action === "account.linkProvider")).toMatchObject({
    actorId: ada.id,
    after: { by: "Acme" },
  });
  expect(userId).not.toBe(ada.id);
});

test("an account created with another person's address loses its password and sessions when the owner signs in", async () => {
  const { ctx } = await testProject();
  const email = "victim@example.test";
  const { token } = await inviteMember(ctx, {});
  const { user } = await joinByInvitation(db(), { token, email, password: "known to somebody else" });
  const foreign = await startSession(db(), { userId: user.id });
  const { login } = someone({ email });
  await browser().signInThroughProvider(login);
  expect(await readSession(db(), foreign)).toBeNull();
  expect((await browser().signIn(email, "known to somebody else")).body.url).toContain("error=CredentialsSignin");
  expect((await told(user.id)).find(({ action }) => action === "account.linkProvider")?.after).toEqual({
    by: "Acme",
    passwordRemoved: true,
    sessionsEnded: 1,
  });
});

test("a new person joins the project of an invitation with the invitation's role", async () => {
  const { ctx } = await testProject();
  const elsewhere = await testProject();
  const { token } = await inviteMember(ctx, { role: "editor" });
  const { login, email } = someone();
  const visitor = browser();
  expect(await visitor.signInThroughProvider(login, { next: "/invite", invitation: token })).toBe("/invite");
  expect([...visitor.jar.keys()]).not.toContain("whetstone-invitation");
  const { id: userId } = (await accountOf(email))!;
  const before = await rolesOf(userId);
  expect(before.map(({ projectId }) => projectId)).not.toContain(ctx.projectId);
  expect(before).toContainEqual({ projectId: elsewhere.ctx.projectId, role: "viewer" });
  await acceptInvitation({ db: db(), userId }, { token });
  expect(await rolesOf(userId)).toContainEqual({ projectId: ctx.projectId, role: "editor" });
});

test("two concurrent sign-ins create one account", async () => {
  const { login, email, sub } = someone();
  const visitors = Array.from({ length: 4 }, () => browser());
  await Promise.all(visitors.map((visitor) => visitor.signInThroughProvider(login)));
  const ids = await Promise.all(visitors.map(async (one) => (await sessionOf(db(), one.page()))?.user.id));
  expect(new Set(ids)).toEqual(new Set([(await accountOf(email))?.id]));
  expect(await db().$count(identities, eq(identities.subject, sub))).toBe(1);
});

/** Returns a browser that has been redirected to the provider, and the URL there. */
async function onTheWay() {
  const visitor = browser();
  const { csrfToken = "" } = (await visitor.ask("csrf")).body;
  const { body } = await visitor.ask("signin/oidc", { csrfToken, callbackUrl: "/p/prj_1", json: "true" });
  return { visitor, url: new URL(body.url ?? "") };
}

test("authorization requests use PKCE, state and nonce", async () => {
  const { url } = await onTheWay();
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    scope: "openid email profile",
    response_type: "code",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{20,}$/),
    nonce: expect.stringMatching(/^[\w-]{20,}$/),
    redirect_uri: `${ORIGIN}/api/auth/callback/oidc`,
  });
});

test("a provider's response is accepted once, and only from the browser that started the sign-in", async () => {
  const { login } = someone();
  const { visitor, url } = await onTheWay();
  const back = await atProvider(url.href, login);
  const failed = /^\/sign-in\?callbackUrl=[^&]*&error=OAuthCallback$/;

  const thief = browser();
  expect(await thief.followRedirects(back)).toMatch(failed);
  const other = await onTheWay();
  expect(await other.visitor.followRedirects(back)).toMatch(failed);
  const forged = new URL(back);
  forged.searchParams.set("state", "forged");
  expect(await visitor.followRedirects(forged.href)).toMatch(failed);
  for (const one of [thief, other.visitor, visitor]) expect(await sessionOf(db(), one.page())).toBeNull();

  const honest = await onTheWay();
  const home = await atProvider(honest.url.href, login);
  expect(await honest.visitor.followRedirects(home)).toBe("/p/prj_1");
  expect(await browser().followRedirects(home)).toMatch(failed);
});

test("a code of another browser's sign-in is refused, because it belongs to another PKCE verifier", async () => {
  const [victim, attacker] = [someone(), someone()];
  const [one, two] = [await onTheWay(), await onTheWay()];
  const code = new URL(await atProvider(one.url.href, victim.login)).searchParams.get("code") ?? "";
  const back = new URL(await atProvider(two.url.href, attacker.login));
  back.searchParams.set("code", code);
  expect(await two.visitor.followRedirects(back.href)).toMatch(/error=OAuthCallback$/);
  expect(await sessionOf(db(), two.visitor.page())).toBeNull();
});

test.each<[string, Forgery]>([
  ["another nonce", { claims: { nonce: "of another sign-in" } }],
  ["no nonce", { claims: { nonce: undefined } }],
  ["another client as its audience", { claims: { aud: "another client" } }],
  ["another issuer", { claims: { iss: "https://evil.test" } }],
  ["an expiry in the past", { claims: { exp: 1 } }],
  ["the signature of another key", { key: "own" }],
  ["no signature", { key: null }],
])("an ID token with %s is refused", async (_, forgery) => {
  const { login, email } = someone();
  const visitor = browser();
  provider.forge(forgery);
  expect(await visitor.signInThroughProvider(login)).toMatch(/^\/sign-in\?.*error=OAuthCallback$/);
  expect(await sessionOf(db(), visitor.page())).toBeNull();
  expect(await accountOf(email)).toBeUndefined();
});

test("cancelling at the provider leads back to the sign-in page, which keeps the requested page", async () => {
  const { visitor, url } = await onTheWay();
  const back = await atProvider(url.href, "nobody by this name");
  expect(new URL(back).searchParams.get("error")).toBe("access_denied");
  const place = new URL(await visitor.followRedirects(back), ORIGIN);
  expect([place.pathname, place.searchParams.get("error")]).toEqual(["/sign-in", "Callback"]);
  expect(place.searchParams.get("callbackUrl")).toBe(`${ORIGIN}/p/prj_1`);
});

test("a provider that is down at the start or the end of a sign-in leads back to the sign-in page", async () => {
  const { login } = someone();
  const { visitor, url } = await onTheWay();
  const back = await atProvider(url.href, login);
  await provider.stop();
  expect(await visitor.followRedirects(back)).toMatch(/^\/sign-in\?.*error=OAuthCallback$/);
  const late = browser();
  const { csrfToken = "" } = (await late.ask("csrf")).body;
  const { body } = await late.ask("signin/oidc", { csrfToken, callbackUrl: "/p/prj_1", json: "true" });
  expect(await late.followRedirects(body.url ?? "")).toMatch(/^\/sign-in\?.*error=OAuthSignin$/);
});
