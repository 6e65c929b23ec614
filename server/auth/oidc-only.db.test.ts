import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import {
  changePassword,
  completeSetup,
  createPasswordReset,
  createSetupLink,
  createUser,
  getMe,
  operatorPasswordReset,
  resetPassword,
  signInWithPassword,
} from "@/server/services/identity";
import { inviteMember, joinByInvitation } from "@/server/services/members";
import { signInMethods } from "@/server/services/single-sign-on";
import { sessionOf } from "./session";
import { browser, ORIGIN } from "./testing/browser";
import { CLIENT, startProvider } from "./testing/provider";

/** In its own file because the environment is read only once. Passwords are switched off. */
const provider = await startProvider({ redirectUri: `${ORIGIN}/api/auth/callback/oidc` });
Object.assign(process.env, {
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_NAME: "Acme",
  PASSWORD_SIGN_IN: "off",
});
afterAll(() => provider.stop());

test("the first owner is set up without a password and signs in through the provider", async () => {
  expect(signInMethods()).toEqual({ password: false, provider: { name: "Acme" }, mail: false });
  provider.person("owner", { sub: "1", email: "owner@example.test", email_verified: true });
  expect(await browser().signInThroughProvider("owner")).toBe("/sign-in?error=early&next=%2F");
  const { token } = (await createSetupLink(db())) as { token: string };
  const { user } = await completeSetup(db(), { token, email: "owner@example.test", password: "typed all the same" });
  const [row] = await db().select().from(users).where(eq(users.id, user.id));
  expect(row?.passwordHash).toBeNull();
  expect(await getMe({ db: db(), userId: user.id }, {})).toMatchObject({ hasPassword: false });
  const visitor = browser();
  await visitor.signInThroughProvider("owner");
  expect((await sessionOf(db(), visitor.page()))?.user.id).toBe(user.id);
});

test("operations that need a password are refused, even with the right one", async () => {
  const { ctx } = await testProject();
  const ada = await createUser(db(), { email: "ada@example.test", password: "a long password" });
  const visitor = browser();
  expect((await visitor.signIn(ada.email, "a long password")).status).toBe(400);
  expect(await sessionOf(db(), visitor.page())).toBeNull();
  const off = { code: "conflict", message: "Passwords are disabled here: people sign in with Acme." };
  const account = { db: db(), userId: ada.id };
  const request = { requestId: "r", address: null, door: "page" as const };
  const given = { email: ada.email, password: "a long password", visitor: { request } };
  const { token } = await inviteMember(ctx, {});
  for (const attempt of [
    () => signInWithPassword(db(), given),
    () => changePassword(account, { currentPassword: "a long password", newPassword: "another password" }),
    () => createPasswordReset(ctx, { userId: ada.id }),
    () => operatorPasswordReset(db(), ada.email),
    () => resetPassword(db(), { token: "any", password: "another password" }),
    () => joinByInvitation(db(), { token, email: "new@example.test", password: "a long password" }),
  ]) {
    await expect(attempt()).rejects.toMatchObject(off);
  }
});
