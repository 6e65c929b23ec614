import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { outgoingMail } from "@/db/schema";
import { asOwner } from "@/db/testing/as-owner";
import { onServer } from "@/db/testing/template";
import { handleAuth } from "@/server/auth/next-auth-handler";
import { ROLE_CAPABILITIES } from "@/server/platform/capabilities";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { HOST, requestTo } from "@/server/rest/testing";
import { createSetupLink } from "@/server/services/identity";
import { sendMail } from "@/server/services/mail";
import { handleTrpc } from "@/server/trpc/handler";

/** Secrets that must not appear anywhere else, each containing a unique word. */
const PASSWORD = "canary-password-5f2c9a";
const NEW_PASSWORD = "canary-password-new-77d1";
const WRONG_PASSWORD = "canary-password-wrong-13ee";
const DATABASE_PASSWORD = "canary-database-c0ffee";
const MAIL_PASSWORD = "canary-mail-password-b0b1e5";
const CLIENT_SECRET = "canary-client-secret-ca11ab1e";
const CONNECTION_SECRET = "canary-connection-secret-4b1d";
const INSTALLATION_SECRET = "canary-installation-secret-0d15ea5e-0d15ea5e";

/** In a separate file, because the environment is read only once. The debug level logs as much as possible. */
// Uses its own role, whose password the test knows: the server's own role may have a different one, or none.
const url = new URL(process.env.DATABASE_URL as string);
const role = `canary_${crypto.randomUUID().replaceAll("-", "")}`;
await onServer((sql) => sql.unsafe(`create role ${role} superuser login password '${DATABASE_PASSWORD}'`));
url.username = role;
url.password = DATABASE_PASSWORD;
Object.assign(process.env, {
  DATABASE_URL: url.href,
  WHETSTONE_SECRET: INSTALLATION_SECRET,
  LOG_LEVEL: "debug",
  PUBLIC_URL: `http://${HOST}`,
  // Allows calls to a service that is down.
  OUTBOUND_ALLOW: "127.0.0.1",
  // A provider and a mail server that are down: nothing listens on this port.
  OIDC_ISSUER: "http://127.0.0.1:9",
  OIDC_CLIENT_ID: "whetstone",
  OIDC_CLIENT_SECRET: CLIENT_SECRET,
  SMTP_URL: `smtp://whetstone:${MAIL_PASSWORD}@127.0.0.1:9`,
  MAIL_FROM: "whetstone@example.test",
});

const lines: string[] = [];
const spies = [process.stderr, process.stdout].map((stream) =>
  vi.spyOn(stream, "write").mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  }),
);
const consoles = (["log", "info", "warn", "error", "debug"] as const).map((name) =>
  vi.spyOn(console, name).mockImplementation((...args) => void lines.push(args.map(String).join(" "))),
);
afterAll(() => {
  for (const spy of [...spies, ...consoles]) spy.mockRestore();
});

const dispatch = createDispatcher(OPERATIONS);
const canaries: Record<string, string> = {
  password: PASSWORD,
  "new password": NEW_PASSWORD,
  "wrong password": WRONG_PASSWORD,
  "database password": DATABASE_PASSWORD,
  "installation secret": INSTALLATION_SECRET,
  "mail password": MAIL_PASSWORD,
  "client secret": CLIENT_SECRET,
  "connection secret": CONNECTION_SECRET,
};
/** All responses except the one that is meant to contain each secret. */
const answers: string[] = [];
const heard = async (reply: Response) => {
  const text = `${reply.status} ${[...reply.headers].join(" ")} ${await reply.text()}`;
  answers.push(text);
  return text;
};

const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };
const tell = (path: string, input: object, sent: Parameters<typeof requestTo>[2] = {}) =>
  handleTrpc(
    requestTo("POST", `/api/trpc/${path}`, {
      ...sent,
      body: input,
      headers: { ...SAME_ORIGIN, ...sent.headers },
    }),
  );
async function signIn(email: string, password: string, cookies: string[] = []) {
  const csrf = await handleAuth(requestTo("GET", "/api/auth/csrf", { cookie: cookies.join("; ") }));
  const jar = csrf.headers.getSetCookie().map((line) => line.split(";")[0] as string);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  return handleAuth(
    new Request(`http://${HOST}/api/auth/callback/credentials`, {
      method: "POST",
      headers: { host: HOST, cookie: jar.join("; ") },
      body: new URLSearchParams({ email, password, csrfToken, callbackUrl: "/", json: "true" }),
    }),
  );
}

let projectId = "";
let key = "";
let cookie = "";
const email = "canary@example.test";

beforeAll(async () => {
  const setup = (await createSetupLink(db())) as { token: string };
  canaries["setup token"] = setup.token;
  await heard(await tell("setup.complete", { token: "wrong", email, password: PASSWORD }));
  const done = await tell("setup.complete", { token: setup.token, email, password: PASSWORD });
  const { data: made } = ((await done.json()) as { result: { data: { project: { id: string }; secret: string } } })
    .result;
  projectId = made.project.id;
  canaries["first key"] = made.secret;

  await heard(await signIn(email, WRONG_PASSWORD));
  const signedIn = await signIn(email, PASSWORD);
  expect(signedIn.status).toBe(200);
  cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] as string)
    .find((pair) => pair.startsWith("whetstone-session=")) as string;
  canaries["session cookie"] = cookie.split("=")[1] as string;
  answers.push(await signedIn.text());

  const create = () =>
    dispatch(
      requestTo("POST", `/v1/projects/${projectId}/api-keys`, {
        cookie,
        body: {
          name: "canary",
          capabilities: ["project:admin", "connections:manage", "telemetry:write", ...ROLE_CAPABILITIES.viewer],
        },
        headers: { ...SAME_ORIGIN, "idempotency-key": "canary-idempotency-key-88" },
      }),
    );
  const created = (await (await create()).json()) as { secret: string };
  // A repeated request gets the secret again, from the idempotency table.
  expect(await (await create()).json()).toEqual(created);
  key = created.secret;
  Object.assign(canaries, { "api key": key, "idempotency key": "canary-idempotency-key-88" });

  const base = `/v1/projects/${projectId}`;
  const invited = await dispatch(
    requestTo("POST", `${base}/invitations`, { key, body: { role: "viewer", email: "invited@example.test" } }),
  );
  canaries["invitation token"] = ((await invited.json()) as { token: string }).token;
  const changed = await tell(
    "account.changePassword",
    { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
    { cookie },
  );
  await heard(changed);
});

/** Sends secrets where they do not belong, as people do by mistake and programs do when they fail. */
async function misplace() {
  const base = `/v1/projects/${projectId}`;
  const send = async (...args: Parameters<typeof requestTo>) => heard(await dispatch(requestTo(...args)));
  await send("GET", `${base}/api-keys`, { headers: { authorization: `Basic ${key}` } });
  await send("GET", `${base}/api-keys?api_key=${key}&password=${PASSWORD}&cursor=${key}`, { key });
  await send("PATCH", base, { key, body: { name: 7, password: PASSWORD, token: canaries["setup token"] } });
  await send("PATCH", base, { key, body: `{"password":"${PASSWORD}"` });
  await send("POST", `${base}/api-keys`, { key, body: { name: "x", capabilities: [PASSWORD] } });
  await send("POST", `${base}/api-keys`, {
    key,
    body: { name: "x" },
    headers: { "idempotency-key": `${PASSWORD} ${key}` },
  });
  await send("GET", base, { key: `${key}x`, headers: { "x-request-id": "r-1" } });
  await send("GET", base, { cookie: `${cookie}; other=${PASSWORD}` });
  await send("POST", "/v1/otlp/v1/traces", { key, body: `{"resourceSpans":"${PASSWORD}"}` });
  await heard(await tell("account.changePassword", { currentPassword: WRONG_PASSWORD, newPassword: 7 }, { cookie }));
  await heard(await tell("links.resetPassword", { token: canaries["invitation token"], password: NEW_PASSWORD }));
  await heard(
    await handleTrpc(
      requestTo("POST", "/api/trpc/projects.rename", { cookie, body: `{"name":"${PASSWORD}`, headers: SAME_ORIGIN }),
    ),
  );
}

test("a provider and a mail server that are down put no secret into logs or responses", async () => {
  const csrf = await handleAuth(requestTo("GET", "/api/auth/csrf"));
  const jar = csrf.headers.getSetCookie().map((line) => line.split(";")[0] as string);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const invitation = canaries["invitation token"] as string;
  const leaving = new Request(`http://${HOST}/api/auth/signin/oidc`, {
    method: "POST",
    headers: { host: HOST, cookie: jar.join("; ") },
    body: new URLSearchParams({ csrfToken, invitation, callbackUrl: "/invite", json: "true" }),
  });
  expect(await heard(await handleAuth(leaving))).toContain("error=OAuthSignin");
  await heard(await handleAuth(requestTo("GET", "/api/auth/callback/oidc?code=c&state=s")));
  const waiting = await db().select({ id: outgoingMail.id }).from(outgoingMail);
  expect(waiting).toHaveLength(1);
  const failure = await sendMail(db(), waiting[0]?.id ?? "").catch((error: Error) => error);
  expect(failure).toBeInstanceOf(Error);
  answers.push(`${(failure as Error).stack} ${JSON.stringify(failure)}`);
});

test("a connection whose service is down puts no secret into logs or responses", async () => {
  const base = `/v1/projects/${projectId}/connections`;
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = method === "POST" ? { "idempotency-key": `connection-${method}-${path}` } : {};
    const reply = await dispatch(requestTo(method, `${base}${path}`, { key, body, headers }));
    const told = await reply.clone().text();
    await heard(reply);
    return JSON.parse(told) as { connection?: { id: string }; test?: { ok: boolean } };
  };
  const secret = CONNECTION_SECRET;
  const given = { kind: "github", name: "Down", baseUrl: "http://127.0.0.1:9", secret };
  const id = (await send("POST", "", given)).connection?.id;
  await send("POST", "", given);
  await send("POST", "", { ...given, secret: [secret], [secret]: secret });
  await send("POST", "", { ...given, secret: `${secret}\n` });
  await send("POST", "", { ...given, secret: `${secret}\u0000` });
  await send("POST", "", { ...given, baseUrl: `https://user:${secret}@example.test` });
  expect((await send("POST", `/${id}/test`)).test).toMatchObject({ ok: false });
  await send("PATCH", `/${id}`, { secret: `${secret}-2`, settings: { labels: [7] } });
  await send("PATCH", `/${id}`, { secret: `${secret}-3` });
  await send("PATCH", `/${id}`, { baseUrl: "https://elsewhere.test" });
  await send("GET", "");
  await send("GET", `/${id}`);
});

test("a failing database puts no secret into logs or responses", async () => {
  await misplace();
  const tables = ["users", "sessions", "api_keys", "login_attempts", "idempotency_keys", "invitations", "setup_tokens"];
  for (const table of tables) {
    await asOwner((owner) => owner.execute(sql`alter table ${sql.identifier(table)} rename to away`));
    await new Promise((resolve) => setTimeout(resolve, 10));
    await heard(await signIn(email, NEW_PASSWORD));
    await heard(await tell("setup.complete", { token: canaries["setup token"], email, password: PASSWORD }));
    await heard(
      await tell("account.changePassword", { currentPassword: NEW_PASSWORD, newPassword: PASSWORD }, { cookie }),
    );
    await misplace();
    await asOwner((owner) => owner.execute(sql`alter table away rename to ${sql.identifier(table)}`));
  }
  const unreachable = Object.assign(new Error(`connect ECONNREFUSED ${url.href}`), { code: "ECONNREFUSED" });
  const odd = Object.assign(new Error(`password authentication failed for ${url.href} Bearer ${key}`), {
    code: "28P01",
  });
  for (const error of [unreachable, odd]) {
    const broken = new Proxy({} as Db, {
      get() {
        throw error;
      },
    });
    const failing = createDispatcher(OPERATIONS, () => broken);
    await heard(await failing(requestTo("GET", `/v1/projects/${projectId}/members?secret=${key}`, { cookie })));
    await heard(await failing(requestTo("GET", `/v1/projects/${key}/members`, { cookie })));
  }
  expect(answers.some((text) => text.startsWith("500"))).toBe(true);
  expect(lines.length).toBeGreaterThan(5);
  for (const secret of Object.values(canaries)) expect(secret).toMatch(/^.{20,}$/);
});

const found = (where: string, text: string, except: readonly string[] = []) =>
  Object.entries(canaries)
    .filter(([name, secret]) => !except.includes(name) && text.includes(secret))
    .map(([name]) => `${where} has the ${name}`);

test("no log line contains a secret", () => {
  expect(lines.flatMap((line) => found(line.slice(0, 300), line)).slice(0, 10)).toEqual([]);
});

test("no response contains a secret that it is not meant to show", () => {
  // A response repeats the path of its request to the caller.
  const told = answers.filter((text) => !text.includes(`"instance":"/v1/projects/${key}/`));
  expect(told.flatMap((text) => found(text.slice(0, 300), text)).slice(0, 10)).toEqual([]);
});

test("the reference contains no secret", async () => {
  const reply = await dispatch(requestTo("GET", "/v1/openapi.json"));
  expect(found("openapi.json", await reply.text())).toEqual([]);
});

test("no table contains a secret in plain text, base64 or hex", async () => {
  const tables = await db().execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const leaks: string[] = [];
  for (const { name } of tables) {
    const rows = await db().execute<{ row: string }>(
      sql`select to_jsonb(t)::text as row from ${sql.identifier(name)} t`,
    );
    for (const { row } of rows) {
      for (const [what, secret] of Object.entries(canaries)) {
        const forms = [
          secret,
          Buffer.from(secret).toString("hex"),
          Buffer.from(secret).toString("base64").replace(/=+$/, "").slice(0, -2),
        ];
        if (forms.some((form) => row.includes(form))) leaks.push(`${name} has the ${what}: ${row.slice(0, 200)}`);
      }
    }
  }
  expect(leaks).toEqual([]);
});
