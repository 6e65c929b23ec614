import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backUp } from "@/db/backup";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { json, startService } from "@/server/services/connections/testing";
import { rewrapSecrets, rotateSecrets } from "@/server/services/secrets";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { cookieFor, keyFor, requestTo } from "../testing";

/** In a separate file, because the environment is read only once. Allows calls to services on loopback. */
process.env.OUTBOUND_ALLOW = "127.0.0.1";

const SECRET = "glpat-5f0c+9/1d=&22%7a\"e8'3b<44>c1";
const dispatch = createDispatcher(OPERATIONS);
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService((_, response) => json(response, { name: "ann" }));
});
afterAll(() => service.stop());

async function caller(ctx: Ctx, ...capabilities: Parameters<typeof keyFor>[1][]) {
  const key = await keyFor(ctx, ...capabilities);
  return async (method: string, below: string, body?: unknown, headers: Record<string, string> = {}) => {
    const address = `/v1/projects/${ctx.projectId}/connections${below}`;
    const reply = await dispatch(requestTo(method, address, { key, headers, ...(body === undefined ? {} : { body }) }));
    // biome-ignore lint/suspicious/noExplicitAny: replies of several operations
    return { status: reply.status, headers: reply.headers, body: JSON.parse(await reply.text()) as any };
  };
}

test("a connection is created, read, changed, tested and deleted over /v1", async () => {
  const { ctx } = await testProject();
  const ask = await caller(ctx, "connections:manage");
  const given = { kind: "model-hub", name: "Hub", baseUrl: `${service.url}/hub`, secret: SECRET };
  const made = await ask("POST", "", given);
  expect(made).toMatchObject({
    status: 201,
    body: { connection: { kind: "model-hub", secretSet: true, lastTest: null } },
  });
  const { id } = made.body.connection;
  expect((await ask("GET", `/${id}`)).body).toEqual(made.body);
  expect(await ask("POST", `/${id}/test`)).toMatchObject({ status: 200, body: { test: { ok: true, problems: [] } } });
  expect((await ask("PATCH", `/${id}`, { name: "Ours" })).body.connection).toMatchObject({
    name: "Ours",
    lastTest: { ok: true },
  });
  expect(await ask("PATCH", `/${id}`, { baseUrl: "https://elsewhere.example" })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/secret" }] },
  });
  expect((await ask("GET", "")).body.connections).toHaveLength(1);
  expect(await ask("DELETE", `/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
  expect((await ask("GET", `/${id}`)).status).toBe(404);
});

test("an invalid connection is a 400 that names the field, and an unknown field is refused", async () => {
  const { ctx } = await testProject();
  const ask = await caller(ctx, "connections:manage");
  for (const [body, pointer] of [
    [{ kind: "bitbucket", name: "x" }, "/kind"],
    [{ kind: "github", name: "" }, "/name"],
    [{ kind: "model", name: "x", settings: { dailyCalls: -1 } }, "/settings/dailyCalls"],
    [{ kind: "github", name: "x", secret: "line\nbreak" }, "/secret"],
    [{ kind: "github", name: "x", token: "x" }, "/token"],
  ] as const) {
    const { status, body: problem } = await ask("POST", "", body);
    expect([status, problem.errors[0]?.path]).toEqual([400, pointer]);
  }
});

test("a field that does not fit the kind is a 422 that names it", async () => {
  const { ctx } = await testProject();
  const ask = await caller(ctx, "connections:manage");
  for (const [body, pointer] of [
    [{ kind: "jira", name: "x" }, "/baseUrl"],
    [{ kind: "github", name: "x", settings: { defaultModel: "gpt" } }, "/settings/defaultModel"],
  ] as const) {
    const { status, body: problem } = await ask("POST", "", body);
    expect([status, problem.errors[0]?.path]).toEqual([422, pointer]);
  }
});

test("requests with the same Idempotency-Key create one connection and test it once", async () => {
  const { ctx } = await testProject();
  const ask = await caller(ctx, "connections:manage");
  const given = { kind: "model-hub", name: "Hub", baseUrl: service.url, secret: SECRET };
  const once = { "idempotency-key": "make-it-once" };
  const first = await ask("POST", "", given, once);
  const again = await ask("POST", "", given, once);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await ask("POST", "", { ...given, secret: "other" }, once)).status).toBe(422);
  const before = service.received.length;
  for (let n = 0; n < 2; n++) {
    const tested = await ask("POST", `/${first.body.connection.id}/test`, undefined, {
      "idempotency-key": "test-once",
    });
    expect(tested).toMatchObject({ status: 200, body: { test: { ok: true } } });
  }
  expect(service.received.length - before).toBe(1);
});

test("a member's cookie allows what their role allows", async () => {
  const [viewer, manager] = [await testProject("viewer"), await testProject("manager")];
  const list = async ({ ctx, userId }: typeof viewer) => {
    const { cookie } = await cookieFor(userId);
    const address = `/v1/projects/${ctx.projectId}/connections`;
    await (await caller(ctx, "connections:manage"))("POST", "", { kind: "github", name: "GitHub", secret: SECRET });
    return (await (await dispatch(requestTo("GET", address, { cookie }))).json()).connections[0];
  };
  expect(Object.keys(await list(viewer)).sort()).toEqual(["id", "kind", "name"]);
  expect(await list(manager)).toMatchObject({ secretSet: true, baseUrl: "https://api.github.com" });
});

/** Returns the forms in which a secret could be stored: as text, escaped, in base64 at each of its three offsets, and so on. */
function formsOf(secret: string): string[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(`${"\0".repeat(offset)}${secret}`)
      .toString("base64")
      .replace(/=+$/, "")
      .slice(Math.ceil((offset * 4) / 3) + 1, -2),
  );
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("hex"),
    [...secret].reverse().join(""),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

test("a database dump contains no secret of a connection, after every operation on connections", async () => {
  const { ctx } = await testProject();
  const ask = await caller(ctx, "connections:manage");
  const given = { kind: "model-hub", name: "Hub", baseUrl: service.url, secret: SECRET };
  const { body: made } = await ask("POST", "", given, { "idempotency-key": "dump" });
  const at = `/${made.connection.id}`;
  await ask("POST", `${at}/test`, undefined, { "idempotency-key": "dump-test" });
  await ask("PATCH", at, { secret: `${SECRET} ` });
  service.reply = (_, response) => json(response, { message: SECRET }, 500);
  await ask("POST", `${at}/test`);
  await ask("PATCH", at, { secret: SECRET, settings: { issueType: "x" } });
  const jira = { kind: "jira", name: "Jira", baseUrl: service.url, secret: `a@b.test:${SECRET}` };
  await ask("POST", `/${(await ask("POST", "", jira)).body.connection.id}/test`);
  await rotateSecrets(db());
  await rewrapSecrets(db(), { forMs: 60_000 });

  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-dump-"));
  const to = path.join(folder, "dump");
  await backUp(process.env.MIGRATION_DATABASE_URL as string, to, { secret: "s".repeat(40) });
  const files = await readdir(to);
  const found: string[] = [];
  for (const file of files) {
    const bytes = await readFile(path.join(to, file));
    const content = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1");
    for (const form of formsOf(SECRET)) if (content.includes(form)) found.push(`${file} has ${form}`);
    // Shows that the search would find it: the connection's name is found.
    if (file.startsWith("connections.")) expect(content).toContain("Hub");
  }
  await rm(folder, { recursive: true });
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(30);
});
