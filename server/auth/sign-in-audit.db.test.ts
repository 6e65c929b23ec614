import { asc, eq, isNull } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog } from "@/db/schema";
import { listMyActivity } from "@/server/services/audit";
import { completeSetup, createSetupLink, createUser } from "@/server/services/identity";
import { sessionOf } from "./session";
import { browser } from "./testing/browser";

const PASSWORD = "correct horse";
let people = 0;
const person = () => createUser(db(), { email: `person${++people}@example.test`, password: PASSWORD });

const rowsOf = (userId: string) =>
  db()
    .select()
    .from(accountAuditLog)
    .where(eq(accountAuditLog.userId, userId))
    .orderBy(asc(accountAuditLog.createdAt), asc(accountAuditLog.id));

test("the audit log records the first owner's setup and each printed setup link", async () => {
  await createSetupLink(db());
  const { token } = (await createSetupLink(db())) as { token: string };
  const given = { token, email: "owner@example.test", password: PASSWORD };
  const { user, project } = await completeSetup(db(), given);
  const printed = await db().select().from(accountAuditLog).where(isNull(accountAuditLog.userId));
  expect(printed).toMatchObject(Array(2).fill({ action: "setup.createLink", actorKind: "operator", door: "cli" }));
  expect(await rowsOf(user.id)).toMatchObject([
    {
      action: "setup.complete",
      actorKind: "user",
      actorId: user.id,
      after: { email: "owner@example.test", projectId: project.id },
    },
  ]);
  expect(JSON.stringify([printed, await rowsOf(user.id)])).not.toContain(token);
});

test("the audit log records signing in and out with session, address and method", async () => {
  const { id: userId, email } = await person();
  const one = browser();
  await one.signIn(email, PASSWORD);
  const session = await sessionOf(db(), one.page());
  await one.signOut();
  await one.signOut();
  const common = { actorKind: "user", actorId: userId, sessionId: session?.id, address: one.address, door: "page" };
  expect(await rowsOf(userId)).toMatchObject([
    { ...common, action: "account.signIn", after: { by: "password" } },
    { ...common, action: "account.signOut", targetType: "session", targetId: session?.id },
  ]);
  expect((await listMyActivity({ db: db(), userId }, {})).entries.map(({ action }) => action)).toEqual([
    "account.signOut",
    "account.signIn",
  ]);
});

test("refused sign-ins are recorded once a minute per account, never with the password", async () => {
  const { id: userId, email } = await person();
  const guesser = browser();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  try {
    await Promise.all(Array.from({ length: 5 }, (_, n) => guesser.signIn(email.toUpperCase(), `wrong guess ${n}`)));
    await vi.waitFor(async () => expect(await rowsOf(userId)).toHaveLength(1), 20_000);
    vi.setSystemTime(Date.now() + 60_000);
    for (let n = 0; n < 10; n++) await guesser.signIn(email, "another wrong guess");
    await vi.waitFor(async () => expect(await rowsOf(userId)).toHaveLength(2), 20_000);
  } finally {
    vi.useRealTimers();
  }
  const rows = await rowsOf(userId);
  const refused = { action: "account.signInRefused", actorKind: "visitor", actorId: null, address: guesser.address };
  expect(rows).toMatchObject([refused, refused]);
  expect(rows.map(({ after }) => after)).toEqual(
    rows.map(() => ({ by: "password", why: expect.stringMatching(/the password is wrong|too many attempts/) })),
  );
  expect(JSON.stringify(rows)).not.toContain("guess");
  const { entries } = await listMyActivity({ db: db(), userId }, {});
  expect(entries[0]?.actor).toEqual({ kind: "visitor", id: null, name: null, sessionId: null });
});

test("an attempt with an unknown address leaves no row", async () => {
  const before = await db().$count(accountAuditLog);
  await browser().signIn("nobody@example.test", "wrong");
  await browser().signIn("\u0000", "wrong");
  const known = await person();
  await browser().signIn(known.email, "wrong");
  await vi.waitFor(async () => expect(await rowsOf(known.id)).toHaveLength(1), 20_000);
  expect(await db().$count(accountAuditLog)).toBe(before + 1);
});
