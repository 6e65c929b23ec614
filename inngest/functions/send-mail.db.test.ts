import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog, outgoingMail, passwordResets } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import { requestTo } from "@/server/rest/testing";
import {
  createPasswordReset,
  createUser,
  findPasswordReset,
  mailForgottenReset,
  resetPassword,
} from "@/server/services/identity";
import { countInOneWindow } from "@/server/services/identity/testing";
import { sendMail, sweepMail } from "@/server/services/mail";
import { closedPort, startMailServer } from "@/server/services/mail/testing";
import { acceptInvitation, findInvitation, inviteMember } from "@/server/services/members";
import { renameProject } from "@/server/services/projects";
import { handleTrpc } from "@/server/trpc/handler";
import { inngest } from "../client";
import { functions } from ".";

/** In its own file because the environment is read once. The mail server is down until a test starts it. */
const port = await closedPort();
Object.assign(process.env, {
  SMTP_URL: `smtp://whetstone:pass%20word@127.0.0.1:${port}`,
  MAIL_FROM: "Whetstone <no-reply@mail.example>",
  PUBLIC_URL: "https://whetstone.example",
});

let engine: Engine | undefined;
let server: Awaited<ReturnType<typeof startMailServer>> | undefined;
const serverUp = async () => {
  server ??= await startMailServer({ port, user: "whetstone", pass: "pass word" });
  server.respondWith(null);
  return server;
};
const engineUp = async () => {
  // All retries together take longer than a mail server needs to start.
  engine ??= await startEngine({ db: db(), client: inngest, functions, ...QUICK, backoff: () => 1000 });
};
beforeAll(countInOneWindow);
afterAll(async () => {
  await engine?.stop();
  await server?.stop();
});

let people = 0;
const person = () => createUser(db(), { email: `Person${++people}@example.test`, password: "a long password" });
const tokenIn = (text: string) => /#token=([\w-]+)/.exec(text)?.[1] ?? "";
const arrived = async (to: string) => {
  const at = async () => server?.received.findLast((mail) => mail.to.includes(to));
  await until(async () => (await at()) !== undefined);
  return (await at()) as NonNullable<Awaited<ReturnType<typeof at>>>;
};
const tell = (path: string, input: object) =>
  handleTrpc(requestTo("POST", `/api/trpc/${path}`, { body: input, headers: { "sec-fetch-site": "same-origin" } }));

/** Everything that the database stores about jobs and audited actions, where no link may appear. */
async function kept() {
  const tables = ["job_events", "job_runs", "job_steps", "audit_log", "account_audit_log", "outgoing_mail"];
  const rows = await Promise.all(
    tables.map((table) => db().execute(sql`select to_jsonb(t)::text as row from ${sql.identifier(table)} t`)),
  );
  return JSON.stringify(rows);
}

test("an invitation waits while the mail server is down, and is mailed when it is back", async () => {
  const { ctx } = await testProject();
  await renameProject(ctx, { name: 'Shop <b>"&' });
  await engineUp();
  const { mailedTo, token, invitation } = await inviteMember(ctx, { role: "editor", email: "ann@example.test" });
  expect(mailedTo).toBe("ann@example.test");
  const failures = () =>
    db().execute(sql`select 1 from job_steps where error::text like '%ECONNECTION%' or error::text like '%ESOCKET%'`);
  await until(async () => (await failures()).length > 0);
  expect((await findInvitation(db(), token))?.projectName).toBe('Shop <b>"&');

  await serverUp();
  const mail = await arrived("ann@example.test");
  expect(mail.from).toBe("no-reply@mail.example");
  expect(mail.headers).toMatch(/^From: Whetstone <no-reply@mail\.example>$/m);
  expect(mail.headers).toMatch(/^Auto-Submitted: auto-generated$/m);
  expect(mail.text).toContain('the project “Shop <b>"&” in Whetstone, as editor.');
  expect(mail.html).toContain("the project “Shop &lt;b&gt;&quot;&amp;” in Whetstone, as editor.");
  expect(mail.text).toContain(`https://whetstone.example/invite#token=${token}\n`);
  expect(tokenIn(mail.html)).toBe(token);
  expect(invitation.email).toBe("ann@example.test");

  const [row] = await db().select().from(outgoingMail).where(eq(outgoingMail.projectId, ctx.projectId));
  await until(async () => {
    const [now] = await db().select().from(outgoingMail).where(eq(outgoingMail.projectId, ctx.projectId));
    return now?.sentAt !== null && now?.sealed === null;
  });
  expect(mail.headers).toContain(`Message-ID: <${row?.id}@mail.example>`);
  expect(await kept()).not.toContain(token);
});

test("an invitation without an e-mail address is not mailed", async () => {
  const { ctx } = await testProject();
  expect((await inviteMember(ctx, {})).mailedTo).toBeNull();
  expect(await db().$count(outgoingMail, eq(outgoingMail.projectId, ctx.projectId))).toBe(0);
});

test("an invitation that is rolled back is not mailed", async () => {
  const { ctx } = await testProject();
  const undone = db().transaction(async (tx) => {
    await inviteMember({ ...ctx, db: tx }, { email: "undone@example.test" });
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await db().$count(outgoingMail, eq(outgoingMail.projectId, ctx.projectId))).toBe(0);
});

test("a password reset link that an owner creates is mailed to the member", async () => {
  await Promise.all([serverUp(), engineUp()]);
  const { ctx } = await testProject();
  const ada = await person();
  await acceptInvitation({ db: db(), userId: ada.id }, { token: (await inviteMember(ctx, {})).token });
  const { token, mailedTo } = await createPasswordReset(ctx, { userId: ada.id });
  expect(mailedTo).toBe(ada.email);
  const mail = await arrived(ada.email);
  expect(mail.text).toContain(`https://whetstone.example/reset#token=${token}\n`);
  expect(await kept()).not.toContain(token);
});

test("a forgotten password's reset link is mailed, and an unknown address gets the same response but no e-mail", async () => {
  await Promise.all([serverUp(), engineUp()]);
  const ada = await person();
  const known = await tell("links.forgotPassword", { email: ada.email.toLowerCase() });
  const unknown = await tell("links.forgotPassword", { email: "nobody@example.test" });
  expect([known.status, await known.text()]).toEqual([unknown.status, await unknown.text()]);
  const mail = await arrived(ada.email);
  const token = tokenIn(mail.text);
  expect(await findPasswordReset(db(), token)).toMatchObject({ userId: ada.id });
  await resetPassword(db(), { token, password: "another long password" });
  const open = () => db().execute(sql`select 1 from job_runs where finished_at is null and event::text like '%mail%'`);
  await until(async () => (await open()).length === 0);
  expect(server?.received.flatMap(({ to }) => to)).not.toContain("nobody@example.test");
  const rows = await db().select().from(accountAuditLog).where(eq(accountAuditLog.userId, ada.id));
  expect(rows.map(({ action }) => action)).toEqual(["account.forgotPassword", "account.resetPassword"]);
  expect(await kept()).not.toContain(token);
});

test("password reset requests are limited in the same way for known and unknown addresses", async () => {
  const ada = await person();
  for (const email of [ada.email, "never@example.test"]) {
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await tell("links.forgotPassword", { email })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  }
});

test("a forgotten password's job that runs twice creates one link and one e-mail", async () => {
  const { id: userId } = await person();
  const twice = { userId, mailId: "mail_twice" };
  await Promise.all([mailForgottenReset(db(), twice), mailForgottenReset(db(), twice)]);
  expect(await db().$count(passwordResets, eq(passwordResets.userId, userId))).toBe(1);
  expect(await db().$count(outgoingMail, eq(outgoingMail.id, "mail_twice"))).toBe(1);
});

const waiting = async (email: string) => {
  const { ctx } = await testProject();
  // Stopped, so that only the test sends.
  await engine?.stop();
  engine = undefined;
  const { token } = await inviteMember(ctx, { email });
  const [row] = await db().select().from(outgoingMail).where(eq(outgoingMail.projectId, ctx.projectId));
  return { token, id: row?.id ?? "", sealed: row?.sealed ?? "" };
};

test("a sent e-mail is not sent again, and one that is delivered twice has the same Message-ID", async () => {
  const { received } = await serverUp();
  const { id, sealed } = await waiting("twice@example.test");
  expect(await sendMail(db(), id)).toBe("sent");
  expect(await sendMail(db(), id)).toBe("nothing");
  // As if the process had died right after the server's acknowledgement.
  await db().update(outgoingMail).set({ sealed, sentAt: null }).where(eq(outgoingMail.id, id));
  expect(await sendMail(db(), id)).toBe("sent");
  const copies = received.filter(({ to }) => to.includes("twice@example.test"));
  const ids = copies.map(({ headers }) => /^Message-ID: (.*)$/m.exec(headers)?.[1]);
  expect(ids).toEqual([`<${id}@mail.example>`, `<${id}@mail.example>`]);
});

test("a mail server's error is reported only by its codes, because its text may quote the link", async () => {
  const up = await serverUp();
  const { id, token } = await waiting("echo@example.test");
  up.respondWith({ code: 451, words: (raw) => `4.7.1 Suspicious: ${raw.slice(-300)} ${token}` });
  const failure = await sendMail(db(), id).catch((error: Error) => error);
  expect(failure).toMatchObject({ message: "The mail server did not accept the e-mail (EMESSAGE 451)." });
  expect(`${(failure as Error).stack} ${JSON.stringify(failure)}`).not.toContain(token);

  up.respondWith({ code: 554, words: () => "5.7.1 Never" });
  expect(await sendMail(db(), id)).toBe("refused");
  const [row] = await db().select().from(outgoingMail).where(eq(outgoingMail.id, id));
  expect(row).toMatchObject({ sealed: null, sentAt: null, refusedAt: expect.any(Number) });
});

test("an e-mail whose link has expired is not sent, and is deleted", async () => {
  const { received } = await serverUp();
  const { id } = await waiting("late@example.test");
  const late = Date.now() + 8 * 86_400_000;
  expect(await sendMail(db(), id, late)).toBe("nothing");
  expect(received.flatMap(({ to }) => to)).not.toContain("late@example.test");
  await sweepMail(db(), late);
  expect(await db().$count(outgoingMail, eq(outgoingMail.id, id))).toBe(0);
});
