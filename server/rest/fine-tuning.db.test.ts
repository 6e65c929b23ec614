import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Capability } from "@/server/platform/capabilities";
import { createDispatcher } from "./dispatcher";
import { OPERATIONS } from "./operations";
import { cookieFor, keyFor, requestTo } from "./testing";

/** The table of the interface, word for word. */
const ROUTES: [method: string, path: string, capabilities: Capability[]][] = [
  ["GET", "/jobs", ["workspace:read", "project:data:read"]],
  ["POST", "/jobs", ["models:manage"]],
  ["GET", "/jobs/job_1", ["workspace:read", "project:data:read"]],
  ["POST", "/jobs/job_1/cancel", ["models:manage"]],
  ["GET", "/checkpoints", ["workspace:read", "project:data:read"]],
  ["GET", "/checkpoints/ckpt_1", ["workspace:read", "project:data:read"]],
  ["POST", "/checkpoints/ckpt_1/deploy", ["project:models:manage"]],
  ["GET", "/lineage/model_1", ["workspace:read", "project:data:read"]],
  ["GET", "/tuning-configs", ["workspace:read", "project:data:read"]],
  ["POST", "/tuning-configs", ["project:data:write"]],
  ["GET", "/tuning-configs/tc_1", ["workspace:read", "project:data:read"]],
  ["PATCH", "/tuning-configs/tc_1", ["project:data:write"]],
  ["DELETE", "/tuning-configs/tc_1", ["project:data:write"]],
  ["POST", "/export", ["project:models:manage"]],
];
const dispatch = createDispatcher(OPERATIONS);
const bodyOf = (method: string) => (method === "POST" || method === "PATCH" ? { body: { anything: true } } : {});

test.each(ROUTES)("%s %s says to whoever may ask how a trainer is attached", async (method, path, capabilities) => {
  const { ctx, userId } = await testProject();
  const address = `/v1/projects/${ctx.projectId}/fine-tuning${path}`;
  const ask = (sent: Parameters<typeof requestTo>[2]) =>
    dispatch(requestTo(method, address, { ...bodyOf(method), ...sent }));
  for (const capability of capabilities) {
    const reply = await ask({ key: await keyFor(ctx, capability) });
    expect(reply.headers.get("content-type")).toBe("application/problem+json");
    expect(await reply.json()).toMatchObject({
      status: 501,
      code: "not_implemented",
      detail: expect.stringMatching(/TRAINER_URL and TRAINER_TOKEN.*this version has none/),
    });
  }
  const { cookie } = await cookieFor(userId);
  expect((await ask({ cookie, headers: { "sec-fetch-site": "same-origin" } })).status).toBe(501);

  expect((await ask({})).status).toBe(401);
  expect((await ask({ key: await keyFor(ctx, "diagnostics:read", "diagnostics:write") })).status).toBe(403);
  const elsewhere = await testProject();
  expect((await ask({ key: await keyFor(elsewhere.ctx, ...capabilities) })).status).toBe(404);
});

test("these are all of its routes, and other methods are refused as everywhere", async () => {
  const served = OPERATIONS.filter((one) => one.path.includes("/fine-tuning")).map(
    (one) => `${one.method} ${one.path}`,
  );
  expect(served).toHaveLength(ROUTES.length);
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "workspace:read");
  const reply = await dispatch(
    requestTo("PUT", `/v1/projects/${ctx.projectId}/fine-tuning/tuning-configs/tc_1`, { key }),
  );
  expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, PATCH, DELETE, HEAD, OPTIONS"]);
});

test("what it says is so: this version does not read the two variables", () => {
  expect(readFileSync("env.ts", "utf8")).not.toContain("TRAINER_");
});
