import { beforeAll, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES } from "@/server/platform/capabilities";
import { cursorFor } from "@/server/platform/cursor";
import { hasRecentFault } from "@/server/platform/database/database-fault";
import { createApiKey } from "@/server/services/api-keys";
import { failedTool } from "@/server/services/diagnostics/work-items/testing";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";
import { factsOf, isProjectQualified, type Operation } from "./operation";
import { OPERATIONS } from "./operations";
import { cookieFor, keyFor, requestTo } from "./testing";
import { v1 } from "./v1";

// Without a trainer, every fine-tuning route returns the same 501.
beforeAll(attachTrainer);

const send = (method: string, path: string, sent: Parameters<typeof requestTo>[2] = {}) =>
  v1(requestTo(method, path, sent));

const addressIn = (operation: Operation, projectId: string) =>
  `/v1${operation.path.replace(":projectId", projectId).replaceAll(/:\w+/g, "none_1")}`;
const guarded = OPERATIONS.filter((operation) => !("open" in operation)).map(
  (operation) => [`${operation.method} ${operation.path}`, operation] as const,
);
const qualified = guarded.filter(([, operation]) => isProjectQualified(operation.path));

test.each(guarded)("%s without credentials is 401", async (_, operation) => {
  expect((await send(operation.method, addressIn(operation, "prj_1"))).status).toBe(401);
});

test.each(qualified)("%s of another project is a 404, by key and by session", async (_, operation) => {
  const ours = await testProject();
  const theirs = await testProject();
  const address = addressIn(operation, theirs.ctx.projectId);
  const key = await keyFor(ours.ctx, "project:admin", "workspace:read", "diagnostics:read", "diagnostics:write");
  expect((await send(operation.method, address, { key })).status).toBe(404);
  const { cookie } = await cookieFor(ours.userId);
  expect((await send(operation.method, address, { cookie, headers: { "sec-fetch-site": "same-origin" } })).status).toBe(
    404,
  );
});

test.each(guarded)("%s is forbidden to a key that only sends telemetry", async (_, operation) => {
  if (factsOf(operation).capability?.includes("telemetry:write")) return;
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "telemetry:write");
  const reply = await send(operation.method, addressIn(operation, ctx.projectId), { key });
  expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([403, "forbidden"]);
});

test.each(qualified)(
  "%s is allowed to an owner's key, except for password links, which only people can create",
  async (_, operation) => {
    const { ctx } = await testProject();
    // With all of an owner's capabilities: a key cannot grant more than it has.
    const key = await keyFor(ctx, ...CAPABILITIES);
    const { status } = await send(operation.method, addressIn(operation, ctx.projectId), { key });
    const isForPeople = operation.path.endsWith("/password-resets");
    // Sent without a body or a media type.
    const isRead = "stream" in operation && operation.stream.spec.consumes !== undefined ? [415] : [];
    const expected = isForPeople ? [403] : [200, 201, 202, 400, 404, 422, ...isRead];
    expect(expected).toContain(status);
  },
);

const lists = qualified.filter(
  ([, one]) => "verb" in one && "pagination" in (one.verb.spec.reply as { shape?: object }).shape!,
);

test.each(lists)("%s refuses a cursor of another list", async (_, operation) => {
  const { ctx } = await testProject();
  const key = await keyFor(
    ctx,
    "project:admin",
    "workspace:read",
    "diagnostics:read",
    "project:data:read",
    "model-pricing:read",
  );
  const foreign = cursorFor("another list", {}).encode([1, "x"]);
  for (const cursor of [foreign, "nonsense", "bnVsbA"]) {
    const reply = await send("GET", `${addressIn(operation, ctx.projectId)}?cursor=${cursor}`, { key });
    // Occurrences belong to a Finding, and none exists here.
    if (reply.status === 404 && operation.path.includes("/:")) return;
    expect([reply.status, ((await reply.json()) as { errors: unknown[] }).errors]).toMatchObject([
      400,
      [{ path: "/cursor" }],
    ]);
  }
});

test("a key is created, listed and revoked over /v1, and its secret is shown once", async () => {
  const { ctx } = await testProject();
  const { secret: key } = await createApiKey(ctx, {
    name: "admin",
    capabilities: ["project:admin", "telemetry:write"],
  });
  const base = `/v1/projects/${ctx.projectId}/api-keys`;
  const made = await send("POST", base, { key, body: { name: "sender", capabilities: ["telemetry:write"] } });
  const { apiKey, secret } = (await made.json()) as { apiKey: { id: string }; secret: string };
  expect(made.status).toBe(201);
  expect(await (await send("GET", base, { key })).text()).not.toContain(secret);
  expect((await send("POST", "/v1/otlp/v1/traces", { key: secret, body: {} })).status).toBe(200);
  const gone = await send("DELETE", `${base}/${apiKey.id}`, { key });
  expect([gone.status, await gone.json()]).toEqual([200, { ok: true }]);
  expect((await send("POST", "/v1/otlp/v1/traces", { key: secret, body: {} })).status).toBe(401);
});

test("health needs no credentials, and is also served at the host's root", async () => {
  const { GET: atRoot } = await import("@/app/healthz/route");
  const [one, two] = [await send("GET", "/v1/healthz"), await atRoot()];
  const body = { status: "ok", version: expect.any(String), deploymentTarget: "self-hosted" };
  expect([one.status, await one.json(), await two.json()]).toEqual([200, body, body]);
});

test("readiness gives a reason for each component", async () => {
  const { GET: ready } = await import("@/app/readyz/route");
  const reply = await ready();
  const body = (await reply.json()) as { status: string; checks: Record<string, { status: string; reason: string }> };
  expect([reply.status, body.status]).toEqual([200, "ready"]);
  expect(Object.keys(body.checks)).toEqual(["database", "jobs", "projector", "trainer", "web"]);
  for (const { reason } of Object.values(body.checks)) expect(reason).toMatch(/\.$/);
});

test("the reference is plain HTML without scripts, and each operation is on the page that the overview names", async () => {
  const { renderToStaticMarkup } = await import("react-dom/server");
  const { default: DocsPage } = await import("@/app/docs/page");
  const { default: AreaPage } = await import("@/app/docs/[area]/page");
  const { default: ClientsPage } = await import("@/app/docs/clients/page");
  const overview = renderToStaticMarkup(DocsPage());
  for (const { path } of OPERATIONS) expect(overview).toContain(path.replaceAll(/:(\w+)/g, "{$1}"));
  const areas = new Set([...overview.matchAll(/href="\/docs\/([^"#]+)"/g)].map(([, area = ""]) => area));
  const pages = new Map([["/docs", overview]]);
  for (const area of areas) {
    const page = area === "clients" ? ClientsPage() : await AreaPage({ params: Promise.resolve({ area }) });
    pages.set(`/docs/${area}`, renderToStaticMarkup(page));
  }
  expect(pages.size).toBeGreaterThan(20);
  for (const [at, html] of pages) {
    expect(html).not.toContain("<script");
    expect(html.length, at).toBeLessThan(1_000_000);
    for (const [, page = "", anchor = ""] of html.matchAll(/href="(\/docs[^"#]*)?#([^"]+)"/g)) {
      expect(pages.get(page || at), `${page || at}#${anchor}`).toContain(`id="${anchor}"`);
    }
  }
  await expect(AreaPage({ params: Promise.resolve({ area: "nothing" }) })).rejects.toThrow();
});

test("an upload that breaks off is a 400, and is not counted as a database fault", async () => {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "telemetry:write");
  // As Node reports it.
  const aborted = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  const body = new ReadableStream({ pull: (controller) => controller.error(aborted) });
  const headers = { "content-type": "application/json" };
  const reply = await send("POST", "/v1/otlp/v1/traces", { key, body, headers });
  expect([reply.status, await reply.json()]).toMatchObject([400, { code: "invalid" }]);
  expect(hasRecentFault("away")).toBe(false);
});

test("a client that disconnects before its body is read causes a 400, not a server error", async () => {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "telemetry:write");
  const request = requestTo("POST", "/v1/otlp/v1/traces", { key, body: {} });
  const reply = await v1(new Request(request, { signal: AbortSignal.abort() }));
  expect([reply.status, await reply.json()]).toMatchObject([400, { code: "invalid" }]);
});

test("an operation of the earlier variant is a 501 that is marked as deprecated and names what it needs", async () => {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "diagnostics:write");
  const { findingId } = await failedTool(ctx);
  const path = `/v1/projects/${ctx.projectId}/diagnostics/findings/${findingId}/repair-handoff`;
  const reply = await send("POST", path, { key });
  expect([reply.status, reply.headers.get("deprecation")]).toEqual([501, "@1795305600"]);
  expect(((await reply.json()) as { detail: string }).detail).toContain("Create one under Integrations");
});
