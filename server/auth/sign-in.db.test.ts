import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { sessions, users } from "@/db/schema";
import { createUser } from "@/server/services/identity";
import { countInOneWindow } from "@/server/services/identity/testing";
import { handleAuth } from "./next-auth-handler";
import { isSameOrigin, originOf } from "./origin";
import { sessionOf } from "./session";
import { browser, ORIGIN } from "./testing/browser";

beforeAll(countInOneWindow);

let people = 0;
const person = async () => {
  const email = `person${++people}@example.test`;
  await createUser(db(), { email, password: "correct horse" });
  return email;
};

test("signing in opens a session that lasts until signing out, which ends it for every copy of the cookie", async () => {
  const email = await person();
  const one = browser();
  expect(await sessionOf(db(), one.page())).toBeNull();

  const { status, headers, body } = await one.signIn(email, "correct horse");
  expect([status, body.url]).toEqual([200, `${ORIGIN}/`]);
  const cookie = headers.getSetCookie().find((line) => line.startsWith("whetstone-session="));
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toMatch(/SameSite=Lax/);
  expect(cookie).not.toMatch(/Secure/); // plain http here: the browser would not send it back

  const stolen = one.page();
  expect((await sessionOf(db(), stolen))?.user.email).toBe(email);
  expect((await one.ask("session")).body).toMatchObject({ user: { email } });

  await one.signOut();
  expect(one.jar.has("whetstone-session")).toBe(false);
  expect(await sessionOf(db(), stolen)).toBeNull();
});

test("a wrong password and an unknown address get identical responses", async () => {
  const email = await person();
  const wrong = await browser().signIn(email, "wrong");
  const unknown = await browser().signIn("nobody@example.test", "wrong");
  expect([wrong.status, wrong.body]).toEqual([unknown.status, unknown.body]);
  expect(new URL(wrong.body.url ?? "").searchParams.get("error")).toBe("CredentialsSignin");
});

test("too many attempts are reported as rate-limited", async () => {
  const email = await person();
  const guesser = browser();
  for (let i = 0; i < 10; i++) await guesser.signIn(email, "wrong");
  const { body } = await guesser.signIn(email, "correct horse");
  expect(new URL(body.url ?? "").searchParams.get("error")).toBe("RateLimited");
});

test("only a person with the right password learns that an account is disabled", async () => {
  const email = await person();
  const before = browser();
  await before.signIn(email, "correct horse");
  await db().update(users).set({ disabledAt: 1 }).where(eq(users.email, email));
  expect(await sessionOf(db(), before.page())).toBeNull();
  const errorOf = async (password: string) =>
    new URL((await browser().signIn(email, password)).body.url ?? "").searchParams.get("error");
  expect(await errorOf("correct horse")).toBe("Disabled");
  expect(await errorOf("wrong")).toBe("CredentialsSignin");
});

test("a sign-in with a wrong CSRF token is refused, and a sign-in does not redirect to another site", async () => {
  const email = await person();
  const visitor = browser();
  await visitor.ask("callback/credentials", { email, password: "correct horse", csrfToken: "forged", json: "true" });
  expect(await sessionOf(db(), visitor.page())).toBeNull();
  const { body } = await visitor.signIn(email, "correct horse", "https://evil.test/");
  expect(body.url).toBe(ORIGIN);
});

const revoke = (id: string) => db().update(sessions).set({ revokedAt: NOW }).where(eq(sessions.id, id));
const expire = (id: string) =>
  db()
    .update(sessions)
    .set({ expiresAt: sql`${NOW} - 1` })
    .where(eq(sessions.id, id));
const disablePerson = (id: string) =>
  db().execute(sql`
    update users set disabled_at = ${NOW} where id = (select user_id from sessions where id = ${id})`);

test.for([
  ["a revoked session", revoke],
  ["an expired session", expire],
  ["a disabled person's session", disablePerson],
] as const)("%s is rejected, and next-auth clears its cookie", async ([, end]) => {
  const email = await person();
  const one = browser();
  await one.signIn(email, "correct horse");
  const session = await sessionOf(db(), one.page());
  await end(session?.id ?? "");
  expect(await sessionOf(db(), one.page())).toBeNull();
  expect((await one.ask("session")).body).toEqual({});
  expect(one.jar.has("whetstone-session")).toBe(false);
});

test("a forged session cookie is ignored", async () => {
  for (const value of ["", "x", "a.b.c.d.e", "%E0%A4%A", "eyJhbGciOiJub25lIn0.eyJzaWQiOiJzZXNfMSJ9."]) {
    const page = new Request(ORIGIN, { headers: { cookie: `whetstone-session=${value}` } });
    expect(await sessionOf(db(), page)).toBeNull();
  }
});

test("only same-origin requests may change anything", () => {
  const from = (headers: Record<string, string>) => isSameOrigin(new Headers({ host: "localhost:3210", ...headers }));
  expect(from({ origin: "http://localhost:3210" })).toBe(true);
  expect(from({ "sec-fetch-site": "same-origin", origin: "http://other.test" })).toBe(true);
  for (const headers of [
    {},
    { origin: "null" },
    { origin: "http://localhost:3211" },
    { origin: "http://evil.test" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "cross-site", origin: "http://localhost:3210" },
  ]) {
    expect(from(headers)).toBe(false);
  }
});

test("a malformed Host header causes no failure", async () => {
  expect(originOf(new Headers({ host: "a b" }))).toBe("http://127.0.0.1:3000");
  const reply = await handleAuth(new Request(`${ORIGIN}/api/auth/csrf`, { headers: { host: "::::" } }));
  expect(reply.status).toBe(200);
});

test("only known error codes in the address are passed on", async () => {
  for (const [given, shown] of [
    ["CredentialsSignin", /error=CredentialsSignin$/],
    ["x%26next%3D%2F%2Fevil.test", /^\/sign-in\?error=Unknown$/],
    ["x%0d%0aset-cookie%3a+a%3db", /^\/sign-in\?error=Unknown$/],
  ] as const) {
    const { status, headers } = await browser().ask(`error?error=${given}`);
    expect(status).toBe(302);
    expect(headers.get("location")).toMatch(shown);
  }
});

test("next-auth never redirects to another host, whatever a callbackUrl or its cookie contains", async () => {
  const email = await person();
  const evil = [
    "https://evil.test/",
    "//evil.test",
    "/\\evil.test",
    "https://localhost:3210@evil.test/",
    "https://localhost:3210.evil.test/",
    "javascript:alert(1)",
    "data:text/html,x",
  ];
  for (const callbackUrl of evil) {
    const one = browser();
    const { body } = await one.signIn(email, "correct horse", callbackUrl);
    expect(new URL(body.url ?? "", ORIGIN).origin, callbackUrl).toBe(ORIGIN);
    one.jar.set("next-auth.callback-url", encodeURIComponent(callbackUrl));
    for (const path of [
      `signin?callbackUrl=${encodeURIComponent(callbackUrl)}`,
      "signin",
      "error?error=x",
      "verify-request",
    ]) {
      const { headers } = await one.ask(path);
      const location = headers.get("location");
      if (location) expect(new URL(location, ORIGIN).origin, `${path} ${location}`).toBe(ORIGIN);
    }
    const csrfToken = (await one.ask("csrf")).body.csrfToken ?? "";
    const out = await one.ask("signout", { csrfToken, callbackUrl, json: "true" });
    expect(new URL(out.body?.url ?? "", ORIGIN).origin, callbackUrl).toBe(ORIGIN);
  }
});
