import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { identities, memberships, outgoingMail, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Role } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { unsealMail } from "@/server/services/mail/sealed-mail";
import {
  createPasswordReset,
  createUser,
  dismissPasswordReset,
  findPasswordReset,
  getMe,
  mailForgottenReset,
  operatorPasswordReset,
  resetPassword,
  startSession,
} from "..";

/** In its own file because the environment is read only once. E-mails are queued here, and never sent. */
Object.assign(process.env, {
  SMTP_URL: "smtp://127.0.0.1:9",
  MAIL_FROM: "Whetstone <no-reply@mail.example>",
  PUBLIC_URL: "https://whetstone.example",
});

async function memberOf(ctx: Ctx, role: Role) {
  const email = `${crypto.randomUUID()}@example.test`;
  const user = await createUser(db(), { email, password: "correct horse", name: "Ada" });
  await db().insert(memberships).values({ projectId: ctx.projectId, userId: user.id, role });
  return { ...user, ctx: { ...ctx, actor: { kind: "user" as const, userId: user.id, role } } };
}
const atProvider = (userId: string) =>
  db().insert(identities).values({ issuer: "https://id.example", subject: userId, userId, lastUsedAt: NOW });
/** Returns the e-mails to an address, newest last. */
async function lettersTo(email: string) {
  const rows = await db().select().from(outgoingMail).orderBy(outgoingMail.createdAt);
  return rows.map((row) => unsealMail(row.sealed ?? "")).filter(({ to }) => to === email);
}
const tokenIn = (text: unknown) => /#token=([\w-]+)/.exec(JSON.stringify(text))?.[1] ?? "";
const tellingIn = async (userId: string, sessionId?: string) =>
  (await getMe({ db: db(), userId, sessionId: sessionId ?? (await startSession(db(), { userId })) }, {})).passwordReset;

test("a link for a person who signs in through a provider is mailed to them and not shown to the owner", async () => {
  const { ctx } = await testProject();
  const elsewhere = await testProject();
  const [ada, bob, eve] = [await memberOf(ctx, "viewer"), await memberOf(ctx, "owner"), await memberOf(ctx, "viewer")];
  await atProvider(ada.id);
  await db().insert(memberships).values({ projectId: elsewhere.ctx.projectId, userId: bob.id, role: "viewer" });

  for (const person of [ada, bob]) {
    const made = await createPasswordReset(ctx, { userId: person.id });
    expect(made).toMatchObject({ token: null, link: null, mailedTo: person.email });
    const [letter] = await lettersTo(person.email);
    const token = tokenIn(letter);
    expect(await findPasswordReset(db(), token)).toMatchObject({ userId: person.id });
    await resetPassword(db(), { token, password: "a password of their own" });
  }
  const shown = await createPasswordReset(ctx, { userId: eve.id });
  expect(shown.token).toEqual(expect.any(String));
  // Once they sign in elsewhere, a link that an owner has seen no longer works.
  await atProvider(eve.id);
  expect(await findPasswordReset(db(), shown.token ?? "")).toBeNull();
});

test("a link for an owner of the installation is only mailed to them, unless another one creates it", async () => {
  const { ctx } = await testProject();
  const [ada, bob] = [await memberOf(ctx, "viewer"), await memberOf(ctx, "owner")];
  await db().update(users).set({ installationOwner: true }).where(eq(users.id, ada.id));
  expect((await createPasswordReset(bob.ctx, { userId: ada.id })).token).toBeNull();
  await db().update(users).set({ installationOwner: true }).where(eq(users.id, bob.id));
  expect((await createPasswordReset(bob.ctx, { userId: ada.id })).token).toEqual(expect.any(String));
});

test("a link stops working when its creator is no longer an owner", async () => {
  const { ctx, userId } = await testProject();
  const ada = await memberOf(ctx, "viewer");
  const { token } = await createPasswordReset(ctx, { userId: ada.id });
  await db().update(memberships).set({ role: "manager" }).where(eq(memberships.userId, userId));
  expect(await findPasswordReset(db(), token ?? "")).toBeNull();
});

test("a person whose password was reset through an owner's link sees whose, in each browser until dismissed", async () => {
  const { ctx } = await testProject();
  const owner = await memberOf(ctx, "owner");
  const ada = await memberOf(ctx, "viewer");
  expect(await tellingIn(ada.id)).toBeNull();
  const { token } = await createPasswordReset(owner.ctx, { userId: ada.id });
  expect(JSON.stringify(await lettersTo(ada.email))).toContain(`Ada (${owner.email}) created a link for you.`);
  expect(await tellingIn(ada.id)).toBeNull();
  await resetPassword(db(), { token, password: "set by somebody" });

  const [first, second] = [await startSession(db(), { userId: ada.id }), await startSession(db(), { userId: ada.id })];
  const told = { at: expect.any(Number), by: { name: "Ada", email: owner.email } };
  expect(await tellingIn(ada.id, first)).toEqual(told);
  await dismissPasswordReset({ db: db(), userId: ada.id, sessionId: first }, {});
  expect(await tellingIn(ada.id, first)).toBeNull();
  // The notice may have been dismissed by someone else.
  expect(await tellingIn(ada.id, second)).toEqual(told);

  const operators = await operatorPasswordReset(db(), ada.email);
  await resetPassword(db(), { token: operators.token, password: "set by the operator" });
  expect(await tellingIn(ada.id)).toEqual({ at: expect.any(Number), by: null });
});

test("a self-requested reset shows no notice, and does not hide an earlier one", async () => {
  const { ctx } = await testProject();
  const ada = await memberOf(ctx, "viewer");
  const forgot = async () => {
    await mailForgottenReset(db(), { userId: ada.id, mailId: `mail_${crypto.randomUUID()}` });
    await resetPassword(db(), { token: tokenIn((await lettersTo(ada.email)).at(-1)), password: "one of my own" });
  };
  await forgot();
  expect(await tellingIn(ada.id)).toBeNull();
  const { token } = await createPasswordReset(ctx, { userId: ada.id });
  await resetPassword(db(), { token, password: "set by somebody" });
  await forgot();
  expect(await tellingIn(ada.id)).not.toBeNull();
});
