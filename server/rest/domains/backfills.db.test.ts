import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor, requestTo } from "../testing";

const dispatch = createDispatcher(OPERATIONS);
const WINDOW = { startMs: 1_789_000_000_000, endMs: 1_789_600_000_000 };

async function client() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "diagnostics:read", "diagnostics:write");
  const base = `/v1/projects/${ctx.projectId}/diagnostics`;
  return async (method: "GET" | "POST", path: string, body?: object) => {
    const reply = await dispatch(requestTo(method, base + path, { key, ...(body ? { body } : {}) }));
    return { status: reply.status, deprecation: reply.headers.get("deprecation"), body: await reply.json() };
  };
}

test("a backfill is queued with 202, previewed, read, paused, resumed and cancelled", async () => {
  const send = await client();
  const asked = { ...WINDOW, maxConversations: 100 };
  const queued = await send("POST", "/rules/tool-failure/backfills", asked);
  expect(queued).toMatchObject({
    status: 202,
    deprecation: null,
    body: { backfill: { ruleId: "tool-failure", ...asked, scanStatus: "queued", finishedAt: null } },
  });
  const { id } = queued.body.backfill;
  expect(await send("POST", "/rules/tool-failure/backfill-preview", asked)).toMatchObject({
    status: 200,
    body: { preview: { conversations: 0, runs: 0, redoesEverything: false } },
  });
  expect((await send("GET", "/backfills?scanStatus=queued&ruleId=tool-failure")).body.backfills).toHaveLength(1);
  expect((await send("GET", "/backfills?scanStatus=completed")).body.backfills).toEqual([]);
  for (const [verb, status] of [
    ["pause", 200],
    ["resume", 202],
    ["cancel", 200],
    ["cancel", 409],
  ] as const) {
    expect([verb, (await send("POST", `/backfills/${id}/${verb}`, {})).status]).toEqual([verb, status]);
  }
  expect((await send("GET", `/backfills/${id}`)).body.backfill).toMatchObject({ scanStatus: "failed" });
});

test("the maximum's earlier name is deprecated, and sending both names or neither is a 400", async () => {
  const send = await client();
  const path = "/rules/tool-failure/backfills";
  expect(await send("POST", path, { ...WINDOW, limit: 5 })).toMatchObject({
    status: 202,
    deprecation: expect.stringMatching(/^@\d+$/),
    body: { backfill: { maxConversations: 5 } },
  });
  expect((await send("POST", path, { ...WINDOW, limit: 5, maxConversations: 5 })).status).toBe(400);
  expect((await send("POST", path, WINDOW)).status).toBe(400);
  expect((await send("POST", "/rules/none/backfills", { ...WINDOW, limit: 5 })).status).toBe(404);
});
