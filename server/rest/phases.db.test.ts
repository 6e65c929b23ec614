import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { inTransaction } from "@/server/platform/context";
import { insideTransaction } from "@/server/platform/database/inside-transaction";
import { outbound } from "@/server/platform/outbound";
import { respondWith, startService } from "@/server/platform/outbound/testing/service";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { createDispatcher } from "./dispatcher";
import { keyFor, requestTo } from "./testing";

process.env.OUTBOUND_ALLOW = "127.0.0.1";

type Phase = { phase: string; inside: boolean; rows: number };
const phases: Phase[] = [];
let fails: string | undefined;
beforeEach(() => {
  phases.length = 0;
  fails = undefined;
});

async function enter(phase: string, projectId: string) {
  const found = await db().execute(sql`select 1 from job_events where project_id = ${projectId}`);
  phases.push({ phase, inside: insideTransaction(), rows: found.length });
  if (fails === phase) throw new Error(`${phase} failed`);
}

const spec = {
  summary: "Publishes a thing.",
  description: "",
  capability: "workspace:read",
  effect: "write",
  input: z.strictObject({ url: z.string() }),
  reply: z.object({ status: z.int() }),
} as const;
const publish = verb(
  { ...spec, name: "things.publish" },
  {
    async before(ctx, { url }) {
      await enter("before", ctx.projectId);
      return outbound().request({ projectId: ctx.projectId, url });
    },
    async run(ctx, _input, { status }) {
      await emit(ctx.db, { name: "published", data: { projectId: ctx.projectId } });
      await enter("run", ctx.projectId);
      return { status };
    },
    async after(ctx, { url }, { status }, prepared) {
      await enter("after", ctx.projectId);
      await outbound().request({
        projectId: ctx.projectId,
        url: `${url}/after/${status}/${prepared.body}`,
        method: "PUT",
      });
    },
  },
);
/** What no operation may do: call another service inside its transaction. */
const hasty = verb({ ...spec, name: "things.hasty" }, async (ctx, { url }) => {
  await emit(ctx.db, { name: "published", data: { projectId: ctx.projectId } });
  const { status } = await outbound().request({ projectId: ctx.projectId, url });
  return { status };
});
const dispatch = createDispatcher([
  { heading: "Things", method: "POST", path: "/projects/:projectId/things", verb: publish },
  { heading: "Things", method: "POST", path: "/projects/:projectId/hasty", verb: hasty },
]);

async function shop() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "workspace:read");
  const service = await startService(respondWith("prepared"));
  const post = (idempotencyKey?: string, what = "things") => {
    const headers: Record<string, string> = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    const path = `/v1/projects/${ctx.projectId}/${what}`;
    return dispatch(requestTo("POST", path, { key, body: { url: service.url }, headers }));
  };
  return { ctx, service, post };
}

const INSIDE = { before: false, run: true, after: false };
/** Nobody else sees the row before it is committed. */
const ROWS = { before: 0, run: 0, after: 1 };
const inOrder = (names: (keyof typeof INSIDE)[]) =>
  names.map((phase) => ({ phase, inside: INSIDE[phase], rows: ROWS[phase] }));

test("a write calls another service before and after its transaction, with and without an Idempotency-Key", async () => {
  for (const idempotencyKey of [undefined, "key-1"]) {
    phases.length = 0;
    const { post, service } = await shop();
    const reply = await post(idempotencyKey);
    expect([reply.status, await reply.json()]).toEqual([200, { status: 200 }]);
    expect(phases).toEqual(inOrder(["before", "run", "after"]));
    expect(service.hits).toEqual(["GET /", "PUT /after/200/prepared"]);
    if (idempotencyKey === undefined) continue;
    expect((await post(idempotencyKey)).headers.get("idempotent-replayed")).toBe("true");
    expect(service.hits).toHaveLength(2);
  }
});

test("a call to another service inside a write's transaction fails, and nothing of the write is stored", async () => {
  for (const idempotencyKey of [undefined, "key-2"]) {
    const { ctx, post, service } = await shop();
    expect((await post(idempotencyKey, "hasty")).status).toBe(500);
    await expect(hasty(ctx, { url: service.url })).rejects.toThrow("A call to another service inside a transaction.");
    expect(await db().execute(sql`select 1 from job_events where project_id = ${ctx.projectId}`)).toHaveLength(0);
    expect(service.connections()).toBe(0);
  }
});

test("a failure before or in the transaction stores nothing, and a failure after it keeps the write", async () => {
  for (const [failing, seen, rows] of [
    ["before", ["before"], 0],
    ["run", ["before", "run"], 0],
    ["after", ["before", "run", "after"], 1],
  ] as const) {
    phases.length = 0;
    fails = failing;
    const { ctx, post } = await shop();
    expect((await post()).status, failing).toBe(failing === "after" ? 200 : 500);
    expect(phases.map(({ phase }) => phase)).toEqual(seen);
    expect(await db().execute(sql`select 1 from job_events where project_id = ${ctx.projectId}`)).toHaveLength(rows);
    expect(await db().execute(sql`select 1 from audit_log where project_id = ${ctx.projectId}`)).toHaveLength(rows);
  }
});

test("no phase runs before authorization and input validation", async () => {
  const { ctx, service } = await shop();
  const powerless = { ...ctx, actor: { kind: "apiKey" as const, keyId: "key_1", capabilities: [] } };
  await expect(publish(powerless, { url: service.url })).rejects.toMatchObject({ code: "forbidden" });
  await expect(publish(ctx, { url: 1 } as never)).rejects.toBeInstanceOf(z.ZodError);
  expect(phases).toEqual([]);
});

test("a write with phases is refused inside another transaction, and a read cannot have phases", async () => {
  const { ctx, service } = await shop();
  const nested = inTransaction(ctx, (tx) => publish(tx, { url: service.url }));
  await expect(nested).rejects.toThrow(/^things\.publish was called inside a transaction\./);
  const reading = { ...spec, name: "things.read", effect: "read" } as const;
  expect(() => verb(reading, { run: async () => ({ status: 200 }) })).toThrow("things.read is a read");
});
