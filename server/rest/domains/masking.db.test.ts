import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { listAudit } from "@/server/services/audit";
import { getMasking, getTrace, listConversations, projectPending, updateMasking } from "@/server/services/telemetry";
import {
  logsJson,
  logsProtobuf,
  type SentLog,
  type SentSpan,
  tracesJson,
  tracesProtobuf,
} from "@/server/services/telemetry/otlp/testing/encode-otlp";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor, requestTo } from "../testing";

const dispatch = createDispatcher(OPERATIONS);
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const NOW = Date.now();

/** Each secret is planted in one place only, so that finding it shows where it was missed. */
const planted: string[] = [];
function plant(before = "") {
  const secret = `${before}${planted.length}planted0123456789abcdef0123456789abcdef`;
  planted.push(secret);
  return secret;
}
const SAID = "sk-said0123456789abcdef0123456789abcdef";

const EVERYWHERE: SentSpan = {
  traceId: TRACE,
  spanId: "00f067aa0ba902b1",
  name: `chat https://ann:${plant()}@models.example.com/v1`,
  start: NOW - 10,
  end: NOW,
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4o",
    "session.id": "s-1",
    "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: `My key: ${SAID}` }] }]),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "Keep it." }] }]),
    "http.request.header.authorization": [`Bearer ${plant()}`],
    "http.request.header.Proxy-Authorization": [plant()],
    "http.response.header.set-cookie": [plant()],
    "http.request.header.x-goog-api-key": [plant()],
    "HTTP.REQUEST.HEADER.X-API-KEY": plant(),
    "http.request.header.user-agent": "openai-python",
    "llm.request.headers": JSON.stringify({ "x-custom": plant(), accept: "application/json" }),
    "rpc.grpc.request.metadata.x-auth": plant(),
    "llm.invocation_parameters": JSON.stringify({ temperature: 0, api_key: plant() }),
    "http.request.body": `{"nested":{"clientSecret":"${plant()}"}}`,
    "url.full": `https://models.example.com/v1?api_key=${plant()}`,
    "db.statement": `CREATE USER app PASSWORD='${plant()}'`,
    "langfuse.observation.metadata.note": `used ${plant("sk-")}`,
    nobody_reads_this: { deep: [plant("ghp_")] },
  },
  events: [{ name: "exception", attributes: { "exception.stacktrace": `at f (${plant("glpat-")})` } }],
  status: { code: 2, message: `401 for key ${plant("sk-ant-")}` },
};
const TOOL: SentSpan = {
  traceId: TRACE,
  spanId: "00f067aa0ba902b2",
  name: "execute_tool login",
  start: NOW - 5,
  end: NOW,
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "login",
    "gen_ai.tool.call.arguments": JSON.stringify({ password: SAID }),
  },
};
const LOGS: SentLog[] = [
  {
    traceId: TRACE,
    spanId: "00f067aa0ba902b1",
    eventName: "app.request",
    at: NOW,
    body: `token=1 secret=${plant()}`,
    attributes: { "db.password": plant() },
  },
  {
    traceId: TRACE,
    spanId: "00f067aa0ba902b1",
    eventName: "gen_ai.user.message",
    at: NOW,
    body: { content: `Again: ${SAID}` },
  },
];
const OWNER = { resource: { "service.name": "shop", "process.command_args": ["node", `--api-key=${plant()}`] } };

async function project() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "telemetry:write", "diagnostics:read");
  const send = async (signal: "traces" | "logs", encoding: "json" | "protobuf") => {
    const body = {
      traces: { json: tracesJson, protobuf: tracesProtobuf }[encoding]([EVERYWHERE, TOOL], OWNER),
      logs: { json: logsJson, protobuf: logsProtobuf }[encoding](LOGS, OWNER),
    }[signal];
    const type = encoding === "json" ? "application/json" : "application/x-protobuf";
    const sent = { key, body: new Uint8Array(body), headers: { "content-type": type } };
    const reply = await dispatch(requestTo("POST", `/v1/otlp/v1/${signal}`, sent));
    expect(reply.status).toBe(200);
    const at = `/v1/projects/${ctx.projectId}/ingest-receipts/${reply.headers.get("x-whetstone-receipt")}`;
    const { receipt } = (await (await dispatch(requestTo("GET", at, { key }))).json()) as { receipt: object };
    while ((await projectPending(ctx.db)) > 0);
    return receipt;
  };
  return { ctx, key, send };
}

/** Returns every row of the project in every table, as text. */
async function everything({ projectId }: Ctx) {
  const tables = await db().execute<{ name: string }>(sql`
    select table_name as name from information_schema.columns where column_name = 'project_id' and table_schema = 'public'`);
  const rows = await Promise.all(
    [...tables].map(({ name }) =>
      db().execute<{ row: string }>(sql`
        select ${name} || to_jsonb(t)::text as row from ${sql.identifier(name)} t where project_id = ${projectId}`),
    ),
  );
  return rows.flatMap((found) => [...found].map(({ row }) => row)).join("\n");
}

test.each(["json", "protobuf"] as const)(
  "none of the planted credentials sent as %s is stored, and message text is unchanged",
  async (encoding) => {
    const { ctx, key, send } = await project();
    const traces = await send("traces", encoding);
    const logs = await send("logs", encoding);
    expect([traces, logs]).toMatchObject([
      { masked: 17, stored: 2 },
      { masked: 3, stored: 2 },
    ]);

    const stored = await everything(ctx);
    const at = `/v1/projects/${ctx.projectId}/traces/${TRACE}`;
    const told = await (await dispatch(requestTo("GET", at, { key }))).text();
    for (const secret of planted) {
      expect(stored).not.toContain(secret);
      expect(told).not.toContain(secret);
    }
    expect(told).toContain("openai-python");
    expect(told).toContain("[masked: ");
    expect(told).toContain(`My key: ${SAID}`);
    const [conversation] = (await listConversations(ctx, { q: SAID })).conversations;
    expect(conversation?.externalId).toBe("s-1");
  },
);

test("message text is masked wherever it is stored if the project chooses so", async () => {
  const { ctx, send } = await project();
  const neighbour = await project();
  expect(await getMasking(ctx, {})).toEqual({ masking: { messages: false } });
  await send("logs", "json"); // caches the project's setting so far
  expect(await updateMasking(ctx, { messages: true })).toEqual({ masking: { messages: true } });
  const others = await project();
  await updateMasking(others.ctx, { messages: true });

  expect(await others.send("traces", "json")).toMatchObject({ masked: 19 });
  expect(await others.send("logs", "protobuf")).toMatchObject({ masked: 4 });
  const stored = await everything(others.ctx);
  for (const secret of [...planted, SAID]) expect(stored).not.toContain(secret);
  const { trace } = await getTrace(others.ctx, { traceId: TRACE });
  expect(JSON.stringify(trace)).toContain("My key: [masked: secret key]");
  expect((await listConversations(others.ctx, { q: SAID })).conversations).toEqual([]);

  await send("traces", "json");
  expect(await everything(ctx)).not.toContain(`My key: ${SAID}`);
  await neighbour.send("traces", "json");
  expect(await everything(neighbour.ctx)).toContain(SAID);
  expect((await listAudit(ctx, { action: "masking.update" })).entries).toMatchObject([
    { before: { messages: false }, after: { messages: true } },
  ]);
});

test("only an owner changes masking, and only in their own project", async () => {
  const manager = await testProject("manager");
  await expect(updateMasking(manager.ctx, { messages: true })).rejects.toMatchObject({ code: "forbidden" });
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "project:admin");
  const at = `/v1/projects/${manager.ctx.projectId}/masking`;
  expect((await dispatch(requestTo("PATCH", at, { key, body: { messages: true } }))).status).toBe(404);
  expect(await getMasking(manager.ctx, {})).toEqual({ masking: { messages: false } });
});
