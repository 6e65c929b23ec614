import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { invitations, memberships, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { createUser } from "@/server/services/identity";
import { acceptInvitation, inviteMember, revokeInvitation } from "@/server/services/members";
import { sessionOf } from "./session";
import { browser, ORIGIN } from "./testing/browser";
import { CLIENT, startProvider } from "./testing/provider";

/**
 * In its own file because the environment is read only once. Nobody can sign in here without an account or an invitation, and
 * the provider returns e-mail addresses only from its userinfo endpoint, as the specification allows.
 */
const provider = await startProvider({ redirectUri: `${ORIGIN}/api/auth/callback/oidc`, claimsIn: "userinfo" });
Object.assign(process.env, {
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
});
afterAll(() => provider.stop());
// The installation has already been set up.
beforeAll(() => testProject());

let people = 0;
function someone(email = `invited${++people}@example.test`) {
  const login = `login ${email}`;
  provider.person(login, { sub: `sub ${email}`, email, email_verified: true, name: "Grace" });
  return { login, email };
}
const exists = async (email: string) => (await db().$count(users, eq(users.email, email))) > 0;

test("a stranger is refused with a reason, and nothing is stored", async () => {
  const { login, email } = someone();
  expect(await browser().signInThroughProvider(login)).toBe("/sign-in?error=unknown&next=%2F");
  expect(await exists(email)).toBe(false);
});

test("a person with an account signs in by an address verified at userinfo", async () => {
  const ada = await createUser(db(), { email: "has-account@example.test" });
  const visitor = browser();
  expect(await visitor.signInThroughProvider(someone(ada.email).login, { next: "/p/prj_1" })).toBe("/p/prj_1");
  expect((await sessionOf(db(), visitor.page()))?.user.id).toBe(ada.id);
});

test("the holder of an open invitation link signs in with it and joins", async () => {
  const { ctx } = await testProject();
  const { token } = await inviteMember(ctx, { role: "editor" });
  const { login, email } = someone();
  const visitor = browser();
  expect(await visitor.signInThroughProvider(login, { next: "/invite", invitation: token })).toBe("/invite");
  const session = await sessionOf(db(), visitor.page());
  expect(session?.user).toMatchObject({ email, name: "Grace" });
  const userId = session?.user.id ?? "";
  expect(await db().$count(memberships, eq(memberships.userId, userId))).toBe(0);
  await acceptInvitation({ db: db(), userId }, { token });
  expect(await db().select().from(memberships).where(eq(memberships.userId, userId))).toMatchObject([
    { projectId: ctx.projectId, role: "editor" },
  ]);
});

test("the invitation token is kept encrypted in the browser, and sent only to the callback", async () => {
  const { ctx } = await testProject();
  const { token } = await inviteMember(ctx, {});
  const visitor = browser();
  const { csrfToken = "" } = (await visitor.ask("csrf")).body;
  const { headers } = await visitor.ask("signin/oidc", { csrfToken, invitation: token, json: "true" });
  const line = headers.getSetCookie().find((one) => one.startsWith("whetstone-invitation="));
  expect(line).toMatch(/; Path=\/api\/auth\/callback; Max-Age=900; HttpOnly; SameSite=Lax$/);
  expect(headers.getSetCookie().join()).not.toContain(token);
});

test("a person whose address is invited signs in without the link", async () => {
  const { ctx } = await testProject();
  const { login, email } = someone();
  await inviteMember(ctx, { email: email.toUpperCase() });
  expect(await browser().signInThroughProvider(login)).toBe("/");
  expect(await exists(email)).toBe(true);
});

test("a link that is revoked, used, expired or meant for another address is refused", async () => {
  const { ctx } = await testProject();
  const named = await inviteMember(ctx, { email: "another@example.test" });
  const revoked = await inviteMember(ctx, {});
  await revokeInvitation(ctx, { invitationId: revoked.invitation.id });
  const used = await inviteMember(ctx, {});
  await acceptInvitation({ db: db(), userId: (await testProject()).userId }, { token: used.token });
  const late = await inviteMember(ctx, {});
  await db()
    .update(invitations)
    .set({ expiresAt: Date.now() - 1 })
    .where(eq(invitations.id, late.invitation.id));
  for (const invitation of [named.token, revoked.token, used.token, late.token, "made up", "x".repeat(300)]) {
    const { login, email } = someone();
    expect(await browser().signInThroughProvider(login, { next: "/invite", invitation })).toBe(
      "/sign-in?error=unknown&next=%2Finvite",
    );
    expect(await exists(email)).toBe(false);
  }
});

test("a forged invitation cookie is ignored", async () => {
  const { ctx } = await testProject();
  const { token } = await inviteMember(ctx, {});
  const { login } = someone();
  const visitor = browser();
  visitor.jar.set("whetstone-invitation", token);
  expect(await visitor.signInThroughProvider(login)).toMatch(/error=unknown/);
});
