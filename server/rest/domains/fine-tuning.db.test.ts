import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Capability } from "@/server/platform/capabilities";
import { createDispatcher } from "../dispatcher";
import { factsOf, type Operation } from "../operation";
import { OPERATIONS } from "../operations";
import { cookieFor, keyFor, requestTo } from "../testing";

const READS: Capability[] = ["workspace:read", "project:data:read"];

/** The interface's table of routes, verbatim, with a valid body where one is needed. */
const ROUTES: [method: string, path: string, capabilities: Capability[], body?: object][] = [
  ["GET", "/jobs", READS],
  ["POST", "/jobs", ["models:manage"], { datasetId: "ds_1", baseModel: { id: "a/b" }, method: "sft", adapter: "lora" }],
  ["GET", "/jobs/job_1", READS],
  ["POST", "/jobs/job_1/cancel", ["models:manage"], {}],
  ["GET", "/checkpoints", READS],
  ["GET", "/checkpoints/ckpt_1", READS],
  ["POST", "/checkpoints/ckpt_1/deploy", ["project:models:manage"], {}],
  ["GET", "/lineage/model_1", READS],
  ["GET", "/tuning-configs", READS],
  [
    "POST",
    "/tuning-configs",
    ["project:data:write"],
    { name: "Weekly", datasetId: "ds_1", baseModel: { id: "a/b" }, method: "sft", adapter: "lora" },
  ],
  ["GET", "/tuning-configs/tc_1", READS],
  ["PATCH", "/tuning-configs/tc_1", ["project:data:write"], { name: "Daily" }],
  ["DELETE", "/tuning-configs/tc_1", ["project:data:write"]],
  ["GET", "/deployments", READS],
  ["GET", "/deployments/dep_1", READS],
  ["POST", "/deployments/dep_1/stop", ["project:models:manage"], {}],
  ["POST", "/deployments/dep_1/roll-back", ["project:models:manage"], {}],
  ["POST", "/playgrounds", ["project:models:manage"], { checkpointId: "ckpt_1" }],
  ["GET", "/tuning-configs/tc_1/rollouts", READS],
  [
    "POST",
    "/export",
    ["project:models:manage"],
    {
      checkpointId: "ckpt_1",
      format: "lora-adapter",
      destination: { connectionId: "conn_1", repoId: "acme/support", private: true },
    },
  ],
];
const dispatch = createDispatcher(OPERATIONS);

/** What is stored is read without a trainer: an empty list, or a thing that does not exist. */
const statusOf = (method: string, path: string) => (method !== "GET" ? 501 : /_1/.test(path) ? 404 : 200);

test.each(ROUTES)(
  "%s %s without a trainer reads what is stored or explains how to attach one, to permitted callers only",
  async (method, path, capabilities, body) => {
    const status = statusOf(method, path);
    const { ctx, userId } = await testProject();
    const address = `/v1/projects/${ctx.projectId}/fine-tuning${path}`;
    const ask = (sent: Parameters<typeof requestTo>[2]) =>
      dispatch(requestTo(method, address, { ...(body ? { body } : {}), ...sent }));
    for (const capability of capabilities) {
      const reply = await ask({ key: await keyFor(ctx, capability) });
      expect(reply.status).toBe(status);
      if (status !== 501) continue;
      expect(reply.headers.get("content-type")).toBe("application/problem+json");
      expect(await reply.json()).toMatchObject({
        status: 501,
        code: "not_implemented",
        detail: expect.stringContaining("npx whetstone trainer"),
      });
    }
    const { cookie } = await cookieFor(userId);
    expect((await ask({ cookie, headers: { "sec-fetch-site": "same-origin" } })).status).toBe(status);

    expect((await ask({})).status).toBe(401);
    expect((await ask({ key: await keyFor(ctx, "diagnostics:read", "diagnostics:write") })).status).toBe(403);
    const elsewhere = await testProject();
    expect((await ask({ key: await keyFor(elsewhere.ctx, ...capabilities) })).status).toBe(404);
  },
);

const ofFineTuning = OPERATIONS.filter((one) => one.path.includes("/fine-tuning/"));
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;

test("every route in the interface's table is served, with its capabilities", () => {
  const served = ofFineTuning.map((one) => [nameOf(one), factsOf(one).capability] as const);
  for (const [method, path, capabilities] of ROUTES) {
    const pattern = path
      .replace(/\/(job|ckpt|tc|dep|model)_1/, "/:$1")
      .replaceAll(/:(job|ckpt|tc|dep|model)/g, ":[A-Za-z]+");
    const found = served.filter(([name]) =>
      new RegExp(`^${method} /projects/:projectId/fine-tuning${pattern}$`).test(name),
    );
    expect(
      found.map(([, held]) => held),
      `${method} ${path}`,
    ).toEqual([capabilities]);
  }
});

test("an unsupported method is a 405, and Allow lists the supported ones", async () => {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "workspace:read");
  const address = `/v1/projects/${ctx.projectId}/fine-tuning/tuning-configs/tc_1`;
  const reply = await dispatch(requestTo("PUT", address, { key }));
  expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, PATCH, DELETE, HEAD, OPTIONS"]);
});
