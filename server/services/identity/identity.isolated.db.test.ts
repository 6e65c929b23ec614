import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { sessions, users } from "@/db/schema";
import { HOUR_MS } from "@/server/platform/durations";
import { verifyApiKey } from "@/server/services/api-keys";
import { listProjects, roleIn } from "@/server/services/projects";
import {
  completeSetup,
  createSetupLink,
  createUser,
  endSession,
  findUserByEmail,
  getMe,
  readSession,
  recordSignInNetwork,
  setupNeeded,
  startSession,
  verifyPassword,
} from ".";
import { countInOneWindow } from "./testing";

const { verify, real } = vi.hoisted(() => ({ verify: vi.fn(), real: {} as typeof import("@node-rs/argon2") }));
vi.mock("@node-rs/argon2", async (original) => {
  Object.assign(real, await original<typeof import("@node-rs/argon2")>());
  return { ...real, verify: verify.mockImplementation(real.verify) };
});

beforeAll(countInOneWindow);

let people = 0;
const person = async (password = "correct horse") => {
  const email = `Person${++people}@Example.test`;
  return { ...(await createUser(db(), { email, password, name: "Ada" })), password };
};
const from = (email: string, password: string, address = `198.51.100.${people}`) =>
  verifyPassword(db(), { email, password, address });

test("a fresh installation gets one owner, however many complete the set-up concurrently", async () => {
  expect(await setupNeeded(db())).toBe(true);
  const stale = await createSetupLink(db());
  const link = await createSetupLink(db());
  const token = link?.token ?? "";
  const given = { email: "first@example.test", password: "a long password" };
  await expect(completeSetup(db(), { ...given, token: stale?.token ?? "" })).rejects.toMatchObject({
    code: "forbidden",
  });
  expect(await setupNeeded(db())).toBe(true);

  // The link's age is measured by the database's clock.
  const madeAgo = (ms: number) => db().execute(sql`update setup_tokens set created_at = ${NOW} - ${ms}::bigint`);
  await madeAgo(24 * HOUR_MS + 1000);
  await expect(completeSetup(db(), { ...given, token })).rejects.toThrow("setup-link");
  await madeAgo(24 * HOUR_MS - 60_000);

  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) => completeSetup(db(), { ...given, email: `first${i}@example.test`, token })),
  );
  const done = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(done).toHaveLength(1);
  expect(await db().$count(users)).toBe(1);
  expect(await createSetupLink(db())).toBeNull();
  expect(await setupNeeded(db())).toBe(false);

  const [first] = done;
  if (!first) throw new Error("nobody");
  expect(await roleIn(db(), { projectId: first.project.id, userId: first.user.id })).toBe("owner");
  expect((await listProjects({ db: db(), userId: first.user.id }, {})).projects).toMatchObject([
    { id: first.project.id, role: "owner" },
  ]);
  expect(await verifyApiKey(db(), first.secret)).toMatchObject({ projectId: first.project.id });
  await expect(completeSetup(db(), { ...given, token })).rejects.toMatchObject({ code: "forbidden" });
});

test("a set-up with an invalid address and a short password reports both", async () => {
  const bad = { token: "x", email: "no", password: "short" };
  await expect(completeSetup(db(), bad)).rejects.toMatchObject({
    issues: [{ path: ["email"] }, { path: ["password"] }],
  });
});

test("an address belongs to one person, regardless of case", async () => {
  const { email, id } = await person();
  await expect(createUser(db(), { email: email.toUpperCase(), password: "12345678" })).rejects.toMatchObject({
    code: "conflict",
  });
  expect((await findUserByEmail(db(), ` ${email.toLowerCase()} `))?.id).toBe(id);
});

test("a password is stored as an argon2id hash", async () => {
  const { email } = await person();
  const found = await findUserByEmail(db(), email);
  expect(found?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test("the right password signs in; a wrong one and an unknown address are indistinguishable", async () => {
  const { id, email, password } = await person();
  expect(await from(email.toLowerCase(), password)).toMatchObject({ id });
  expect(await from(email, "wrong password")).toBeNull();
  expect(await from("nobody@example.test", password)).toBeNull();
  expect(await from("a\u0000b", password)).toBeNull();
  expect(await from(email, "x".repeat(100_000))).toBeNull();
});

test("an unknown address costs as much work as a known one", async () => {
  const { email } = await person();
  const work = async (address: string) => {
    verify.mockClear();
    await from(address, "wrong password");
    // Algorithm, memory, passes and lanes: the cost of a guess.
    return verify.mock.calls.map(([hash]) => String(hash).split("$").slice(1, 4));
  };
  expect(await work("nobody-at-all@example.test")).toEqual(await work(email));
  expect(verify).toHaveBeenCalledOnce();
});

const limited = { code: "rate_limited", retryAfter: expect.any(Number) };
/** Runs guesses one after the other, because a busy machine refuses some of many concurrent ones. */
async function guesses(count: number, guess: (n: number) => Promise<unknown>) {
  const outcomes: string[] = [];
  for (let n = 0; n < count; n++)
    outcomes.push(
      await guess(n).then(
        () => "wrong",
        (error) => error.code,
      ),
    );
  return outcomes.filter((outcome) => outcome === "wrong").length;
}

test("after ten failures a network is blocked, even with the right password and concurrent attempts", async () => {
  const { email, password } = await person();
  const tries = await Promise.allSettled(Array.from({ length: 15 }, () => from(email, "wrong", "203.0.113.7")));
  const codes = tries.map((one) => (one.status === "fulfilled" ? "wrong" : one.reason.code));
  expect(codes.filter((code) => code === "rate_limited")).toHaveLength(5);
  await expect(from(email, password, "203.0.113.7")).rejects.toMatchObject(limited);
});

test("guessing a person's password does not lock them out from another network", async () => {
  const { email, password } = await person();
  await guesses(15, () => from(email, "wrong", "203.0.113.8"));
  await expect(from(email, password, "203.0.113.8")).rejects.toMatchObject(limited);
  expect(await from(email, password, "198.51.100.77")).not.toBeNull();
});

test("unfamiliar networks share a hundred attempts an hour, and the person can still sign in from a familiar one", async () => {
  const { id, email, password } = await person();
  await recordSignInNetwork(db(), { userId: id, address: "198.51.100.200" });
  verify.mockResolvedValue(false);
  const network = (n: number) => `100.64.${Math.floor(n / 9)}.1`;
  expect(await guesses(120, (n) => from(email, "wrong", network(n)))).toBe(100);
  verify.mockReset();
  verify.mockImplementation(real.verify);
  await expect(from(email, password, "198.51.100.201")).rejects.toMatchObject(limited);
  expect(await from(email, password, "198.51.100.200")).toMatchObject({ id });
  // A link that was mailed to them also identifies them.
  await recordSignInNetwork(db(), { userId: id, address: "198.51.100.201" });
  expect(await from(email, password, "198.51.100.201")).toMatchObject({ id });
});

test("attempts with an unknown address are limited in the same way", async () => {
  expect(await guesses(15, () => from("ghost@example.test", "wrong", "203.0.114.1"))).toBe(10);
  verify.mockResolvedValue(false);
  expect(await guesses(120, (n) => from("ghost2@example.test", "wrong", `100.65.${Math.floor(n / 9)}.1`))).toBe(100);
  verify.mockReset();
  verify.mockImplementation(real.verify);
});

test("a network that tries many accounts is blocked, an IPv6 /64 as a whole", async () => {
  expect(await guesses(60, (n) => from(`spray${n}@example.test`, "wrong", `2001:db8::2:${n}:0:1`))).toBe(50);
});

test("refused attempts cost no query until their window ends", async () => {
  const { email } = await person();
  await guesses(11, () => from(email, "wrong", "203.0.115.1"));
  const deaf = verifyPassword({} as never, { email, password: "wrong", address: "203.0.115.1" });
  await expect(deaf).rejects.toMatchObject(limited);
});

test("a flood of strangers is limited to a few hashes at a time, and people on familiar networks still sign in", async () => {
  const { id, email, password } = await person();
  await recordSignInNetwork(db(), { userId: id, address: "198.51.100.210" });
  const gates: (() => void)[] = [];
  verify.mockImplementation((hash: string, given: string) =>
    given === password ? real.verify(hash, given) : new Promise((resolve) => gates.push(() => resolve(false))),
  );
  const outcomes: string[] = [];
  const flood = Array.from({ length: 120 }, (_, n) =>
    from(`flood${n}@example.test`, "wrong", `100.66.${n % 4}.1`).then(
      () => outcomes.push("looked at"),
      (error) => outcomes.push(`${error.code} ${error.retryAfter}`),
    ),
  );
  await expect.poll(() => outcomes.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(120 - 2 - 4 * 10);
  expect(new Set(outcomes)).toEqual(new Set(["unavailable 5"]));
  expect(gates.length).toBeLessThanOrEqual(2);
  expect(await from(email, password, "198.51.100.210")).toMatchObject({ id });
  let over = false;
  const all = Promise.all(flood).then(() => {
    over = true;
  });
  await vi.waitFor(
    () => {
      for (const open of gates.splice(0)) open();
      expect(over).toBe(true);
    },
    { timeout: 30_000, interval: 5 },
  );
  await all;
  verify.mockReset();
  verify.mockImplementation(real.verify);
});

test("a successful sign-in resets earlier failures", async () => {
  const { email, password } = await person();
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 8; i++) expect(await from(email, "wrong")).toBeNull();
    expect(await from(email, password)).not.toBeNull();
  }
});

test("a session works until it is ended or expires", async () => {
  const { id, email } = await person();
  const one = await startSession(db(), { userId: id, userAgent: "x".repeat(1000) });
  const two = await startSession(db(), { userId: id });
  expect(await readSession(db(), one)).toEqual({ id: one, user: { id, email, name: "Ada" } });
  await endSession(db(), one);
  expect(await readSession(db(), one)).toBeNull();
  expect(await readSession(db(), two)).not.toBeNull();
  await db()
    .update(sessions)
    .set({ expiresAt: Date.now() - 1 })
    .where(sql`${sessions.id} = ${two}`);
  expect(await readSession(db(), two)).toBeNull();
  expect(await readSession(db(), "ses_none")).toBeNull();
});

test("the last use of a session is recorded only from time to time", async () => {
  const { id } = await person();
  const session = await startSession(db(), { userId: id });
  const seen = async () =>
    (await db().select({ at: sessions.lastSeenAt }).from(sessions).where(sql`${sessions.id} = ${session}`))[0]?.at;
  const before = await seen();
  await readSession(db(), session);
  expect(await seen()).toBe(before);
  await db().update(sessions).set({ lastSeenAt: 1 }).where(sql`${sessions.id} = ${session}`);
  await readSession(db(), session);
  await expect.poll(seen).toBeGreaterThan(1);
});

test("a person reads their own account without the password hash", async () => {
  const { id, email } = await person();
  expect(await getMe({ db: db(), userId: id }, {})).toEqual({
    user: { id, email, name: "Ada", createdAt: expect.any(Number) },
    hasPassword: true,
    passwordReset: null,
    rights: [],
  });
  await expect(getMe({ db: db(), userId: "usr_none" }, {})).rejects.toMatchObject({ code: "not_found" });
});
