import { expect, test, vi } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { cookieFor, requestTo } from "@/server/rest/testing";
import { createSetupLink, type Session } from "@/server/services/identity";
import { createRateLimiter } from "@/server/services/rate-limits";
import type { TrpcContext } from "./context";
import { handleTrpc } from "./handler";
import { appRouter } from "./root";
import { createCallerFactory } from "./trpc";

const caller = (userId: string | null, context: Partial<TrpcContext> = {}) => {
  const session: Session | null =
    userId === null ? null : { id: "ses_1", user: { id: userId, email: "a@example.test", name: null } };
  return createCallerFactory(appRouter)({
    db: db(),
    session,
    requestId: "req-1",
    sameOrigin: true,
    limiter: createRateLimiter(),
    ...context,
  });
};

type Shape = { message: string; data: Record<string, unknown> };
async function answerOf(reply: Response) {
  const body = (await reply.json()) as { error?: Shape; result?: { data: unknown } };
  return { status: reply.status, error: body.error, data: body.result?.data };
}
const ask = (path: string, input: unknown, sent: Parameters<typeof requestTo>[2]) =>
  handleTrpc(requestTo("GET", `/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`, sent)).then(
    answerOf,
  );
const tell = (path: string, input: unknown, sent: Parameters<typeof requestTo>[2]) =>
  handleTrpc(requestTo("POST", `/api/trpc/${path}`, { ...sent, body: input })).then(answerOf);

test("a member reads and changes their project", async () => {
  const { ctx, userId } = await testProject();
  const api = caller(userId);
  const { projectId } = ctx;
  await api.projects.rename({ projectId, name: "Renamed" });
  expect((await api.projects.get({ projectId })).project.name).toBe("Renamed");
  expect((await api.projects.list()).projects).toMatchObject([{ name: "Renamed", role: "owner" }]);
  const { apiKey } = await api.apiKeys.create({ projectId, name: "k" });
  expect((await api.apiKeys.list({ projectId })).apiKeys).toMatchObject([{ id: apiKey.id }]);
  expect(await api.apiKeys.revoke({ projectId, keyId: apiKey.id })).toEqual({ ok: true });
});

test("another project gets the same error as one that does not exist", async () => {
  const { userId } = await testProject();
  const theirs = await testProject();
  const messages: string[] = [];
  for (const projectId of [theirs.ctx.projectId, "prj_none"]) {
    await caller(userId)
      .projects.get({ projectId })
      .catch((error: Error & { code: string }) => messages.push(`${error.code} ${error.message}`));
  }
  expect(messages).toEqual(["NOT_FOUND The project was not found.", "NOT_FOUND The project was not found."]);
});

test("errors have the service's message and problems, and the request id", async () => {
  const { ctx, userId } = await testProject("viewer");
  const { projectId } = ctx;
  const { cookie } = await cookieFor(userId);
  const headers = { "sec-fetch-site": "same-origin", "x-request-id": "req-7" };
  const invalid = await ask("findings.list", { projectId, limit: 501, colour: "red" }, { cookie, headers });
  expect(invalid).toMatchObject({
    status: 400,
    error: { data: { code: "BAD_REQUEST", reason: "invalid", requestId: "req-7" } },
  });
  const errors = (invalid.error?.data.errors ?? []) as { path: string }[];
  expect(errors.map(({ path }) => path).sort()).toEqual(["/colour", "/limit"]);
  expect(await tell("projects.rename", { projectId, name: "x" }, { cookie, headers })).toMatchObject({
    status: 403,
    error: { message: "This requires the capability project:admin.", data: { reason: "forbidden" } },
  });
  expect(await ask("projects.get", { projectId }, {})).toMatchObject({
    status: 401,
    error: { data: { reason: "unauthenticated" } },
  });
  expect(await ask("projects.get", {}, { cookie })).toMatchObject({
    status: 400,
    error: { data: { errors: [{ path: "/projectId" }] } },
  });
  expect(await ask("projects.get", { projectId: "a\u0000" }, { cookie })).toMatchObject({ status: 400 });
  expect(JSON.stringify(invalid)).not.toContain("stack");
});

test("a change is refused unless it comes from one of our own pages", async () => {
  const { ctx, userId } = await testProject();
  const { cookie } = await cookieFor(userId);
  const input = { projectId: ctx.projectId, name: "Taken over" };
  for (const headers of [{}, { origin: "https://evil.test" }, { "sec-fetch-site": "cross-site" }] as Record<
    string,
    string
  >[]) {
    expect((await tell("projects.rename", input, { cookie, headers })).status).toBe(403);
  }
  expect((await tell("projects.rename", input, { cookie, headers: { origin: "http://whetstone.test" } })).status).toBe(
    200,
  );
});

test("tRPC rejects API keys", async () => {
  const { ctx } = await testProject();
  expect((await ask("projects.get", { projectId: ctx.projectId }, { key: "whet_x" })).status).toBe(401);
});

test("the fields that an infinite query adds to its input are ignored", async () => {
  const { ctx, userId } = await testProject();
  const input = { projectId: ctx.projectId, cursor: null, direction: "forward" };
  const page = await caller(userId).apiKeys.list(input as never);
  expect(page).toEqual({ apiKeys: [], pagination: { limit: 50, nextCursor: null } });
});

test("an internal error reveals nothing, and an unreachable database is a 503", async () => {
  const { ctx, userId } = await testProject();
  const { cookie } = await cookieFor(userId);
  const input = { projectId: ctx.projectId };
  const failing = vi.spyOn(db(), "select").mockImplementation(() => {
    throw Object.assign(new Error("select secret"), { code: "42P01" });
  });
  const ours = await ask("projects.get", input, { cookie, headers: { "x-request-id": "req-9" } });
  failing.mockImplementation(() => {
    throw Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  });
  const away = await ask("projects.get", input, { cookie });
  failing.mockRestore();
  expect(ours).toMatchObject({ status: 500, error: { message: "Something went wrong on our side." } });
  expect(JSON.stringify(ours)).not.toContain("secret");
  expect(away).toMatchObject({ status: 503, error: { data: { reason: "unavailable", retryAfter: 2 } } });
});

test("an unknown procedure is a 404", async () => {
  expect(await tell("nowhere.at.all", {}, {})).toMatchObject({ status: 404, error: { data: { code: "NOT_FOUND" } } });
});

/** A chunked body without a content length, and how many bytes of it were read. */
function inPieces(bytes: number) {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken >= bytes) return controller.close();
        taken += 1024;
        controller.enqueue(new Uint8Array(1024).fill(0x20));
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken };
}
const JSON_TYPE = { "content-type": "application/json", "sec-fetch-site": "same-origin" };

test("at most 1 MiB of a signed-in person's body is read, with or without a declared length", async () => {
  const { userId } = await testProject();
  const { cookie } = await cookieFor(userId);
  const body = `{"name":"${"x".repeat(2_000_000)}"}`;
  expect((await handleTrpc(requestTo("POST", "/api/trpc/projects.create", { body, cookie }))).status).toBe(413);
  const endless = inPieces(4_000_000);
  const sent = { body: endless.body, headers: JSON_TYPE, cookie };
  expect((await handleTrpc(requestTo("POST", "/api/trpc/projects.create", sent))).status).toBe(413);
  expect(endless.taken()).toBeLessThanOrEqual(1024 * 1024 + 4096);
  const fits = { projectId: "prj_none", name: "x".repeat(500_000) };
  expect((await tell("projects.rename", fits, { cookie, headers: JSON_TYPE })).status).toBe(404);
});

test("at most 16 KiB of an unknown caller's body are read, and JSON is parsed only by public procedures", async () => {
  for (const path of ["projects.rename", "account.rename", "links.join", "setup.complete", "nowhere.at.all"]) {
    const endless = inPieces(1024 * 1024);
    const reply = await handleTrpc(requestTo("POST", `/api/trpc/${path}`, { body: endless.body, headers: JSON_TYPE }));
    expect({ path, status: reply.status }).toEqual({ path, status: 413 });
    expect(endless.taken()).toBeLessThanOrEqual(20 * 1024);
  }
  // Invalid JSON would be a 400 if it had been parsed.
  const broken = { body: "{".repeat(10_000), headers: JSON_TYPE };
  for (const path of ["projects.rename", "account.rename", "modelPrices.estimate"]) {
    const method = path === "modelPrices.estimate" ? "GET" : "POST";
    const request =
      method === "GET"
        ? requestTo("GET", `/api/trpc/${path}?input=${"{".repeat(5000)}`)
        : requestTo("POST", `/api/trpc/${path}`, broken);
    expect({ path, ...(await handleTrpc(request).then(answerOf)) }).toMatchObject({ path, status: 401 });
  }
  expect((await handleTrpc(requestTo("POST", "/api/trpc/links.join", broken))).status).toBe(400);
});

test("input is plain JSON without type hints, and a form is refused", async () => {
  const { ctx, userId } = await testProject();
  const { cookie } = await cookieFor(userId);
  const input = { json: { projectId: ctx.projectId }, meta: { values: { projectId: ["Date"] } } };
  expect(await ask("projects.get", input, { cookie })).toMatchObject({
    status: 400,
    error: { data: { errors: [{ path: "/projectId" }] } },
  });
  for (const type of ["multipart/form-data; boundary=x", "application/octet-stream", "text/plain"]) {
    const reply = await handleTrpc(
      requestTo("POST", "/api/trpc/projects.rename", {
        cookie,
        body: "x",
        headers: { ...JSON_TYPE, "content-type": type },
      }),
    );
    expect(reply.status).toBe(415);
  }
});

test("setup is available without signing in", async () => {
  expect(await caller(null).setup.status()).toEqual({ needed: expect.any(Boolean) });
  // Other tests have already created people, so no link can be created, and an old one would not work.
  expect(await createSetupLink(db())).toBeNull();
  await expect(
    caller(null).setup.complete({ token: "t", email: "x@example.test", password: "12345678" }),
  ).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(
    (
      await tell(
        "setup.complete",
        { token: "t", email: "x", password: "1" },
        { headers: { "sec-fetch-site": "same-origin" } },
      )
    ).error?.data.errors,
  ).toMatchObject([{ path: "/email" }, { path: "/password" }]);
});
