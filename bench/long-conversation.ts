import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startTemporaryDatabase } from "../scripts/lib/database/temporary-database.mjs";
import { machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench -- long-conversation`: a conversation of one trace with 20,000 spans (10,000 model calls, 9,999 tool
 * calls) and 20,000 log records, read as `/v1` and the pages read it, and diagnosed by all Rules together. Time is the median
 * of ten calls; memory is the growth of the heap and its buffers during a call. For the Runs, the memory in use without
 * garbage is given too.
 */
const SPANS = 20_000;
const BATCH = 1000;
const CALLS = 10;
const SESSION = "session-long";
const TRACE = "f".repeat(32);

process.env.WHETSTONE_SECRET ??= randomBytes(32).toString("base64url");
const database = await startTemporaryDatabase({ throwaway: true });
process.env.DATABASE_URL = database.urlOf("postgres");
// Imported once the database URL is known, because the services read it when they are loaded.
const { prepareDatabase } = await import("@/db/prepare");
const { db } = await import("@/db/pool");
const { projects } = await import("@/db/schema");
const telemetry = await import("@/server/services/telemetry");
const diagnostics = await import("@/server/services/diagnostics");
const { chatSpan, otlpJson } = await import("@/server/services/telemetry/testing");
type Ctx = import("@/server/platform/context").Ctx;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const used = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
const MIB = 2 ** 20;

const hex = (number: number, digits = 16) => number.toString(16).padStart(digits, "0");
const text = "the order was sent with the wrong label and came back to the warehouse ".repeat(8);
const attributes = { "gen_ai.conversation.id": SESSION };
const startMs = Date.now() - SPANS;

function spanAt(n: number) {
  const span = { spanId: hex(n + 1), traceId: TRACE, parentSpanId: n === 0 ? "" : hex(1), startMs: startMs + n };
  if (n === 0)
    return { ...span, name: "agent", attributes: { ...attributes, "gen_ai.operation.name": "invoke_agent" } };
  if (n % 2 === 1)
    return chatSpan({ ...span, attributes }, { input: [["user", `Step ${n}: ${text}`]], output: `Done ${n}. ${text}` });
  const tool = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "look",
    "gen_ai.tool.call.id": `call-${n}`,
  };
  return { ...span, name: "look", attributes: { ...attributes, ...tool, "gen_ai.tool.call.result": text } };
}

const logAt = (n: number) => ({
  traceId: TRACE,
  spanId: hex(n + 1),
  timeUnixNano: `${startMs + n}000000`,
  eventName: "step.note",
  body: { stringValue: text },
});

async function fill(ctx: Ctx) {
  for (let from = 0; from < SPANS; from += BATCH) {
    const numbers = Array.from({ length: BATCH }, (_, i) => from + i);
    const batch = otlpJson(numbers.map(spanAt));
    await telemetry.storeTraces(ctx, telemetry.decodeTraces(Buffer.from(JSON.stringify(batch)), "json"));
    const logs = { resourceLogs: [{ scopeLogs: [{ scope: { name: "notes" }, logRecords: numbers.map(logAt) }] }] };
    await telemetry.storeLogs(ctx, telemetry.decodeLogs(Buffer.from(JSON.stringify(logs)), "json"));
  }
  while ((await telemetry.projectPending(ctx.db)) > 0);
  await ctx.db.execute("analyze");
}

/** Milliseconds between samples of the memory in use, each of which collects garbage. */
const COLLECTED_EVERY = 50;

async function measure(name: string, read: () => Promise<object>, { calls = CALLS, collects = false } = {}) {
  let answer: object = calls > 1 ? await read() : {};
  const times: number[] = [];
  let grown = 0;
  for (let n = 0; n < calls; n++) {
    collect();
    const before = used();
    let most = before;
    const watch = setInterval(
      () => {
        if (collects) collect();
        most = Math.max(most, used());
      },
      collects ? COLLECTED_EVERY : 2,
    );
    const begun = performance.now();
    answer = await read();
    times.push(performance.now() - begun);
    clearInterval(watch);
    if (collects) collect();
    grown = Math.max(grown, most - before, used() - before);
  }
  const size = JSON.stringify(answer).length / MIB;
  const figures = `${percentile(times, 0.5).toFixed(0)} ms, memory + ${(grown / MIB).toFixed(0)} MiB, answer ${size.toFixed(1)} MiB`;
  console.log(`${name.padEnd(48)}${figures}`);
}

try {
  console.log(machine());
  await prepareDatabase({ url: process.env.DATABASE_URL, ownerUrl: undefined });
  const projectId = "prj_long" as Ctx["projectId"];
  await db().insert(projects).values({ id: projectId, name: "Long" });
  const ctx: Ctx = { db: db(), projectId, actor: { kind: "user", userId: "usr_long", role: "owner" } };
  await fill(ctx);
  const conversationId = SESSION;
  const traceId = TRACE;
  await measure("conversations.get", () => telemetry.getConversation(ctx, { conversationId }));
  await measure("traces.get", () => telemetry.getTrace(ctx, { traceId }));
  await measure("conversations.get, no parts, as pages poll it", () =>
    telemetry.getConversation(ctx, { conversationId, parts: 0 }),
  );
  await measure("traces.get, no parts", () => telemetry.getTrace(ctx, { traceId, parts: 0 }));
  const fromSpanId = hex(SPANS / 2);
  await measure("conversations.messages, 50 from the middle", () =>
    telemetry.listMessages(ctx, { conversationId, fromIndex: SPANS / 2 }),
  );
  const { conversation } = await telemetry.getConversation(ctx, { conversationId });
  const cursor = conversation.modelCallsCursor ?? undefined;
  await measure("conversations.modelCalls, 500 after the first", () =>
    telemetry.listModelCalls(ctx, { conversationId, limit: 500, cursor }),
  );
  const after = conversation.toolCallsCursor ?? undefined;
  await measure("conversations.toolCalls, 500 after the first", () =>
    telemetry.listToolCalls(ctx, { conversationId, limit: 500, cursor: after }),
  );
  await measure("traces.spans, 500 from the middle", () =>
    telemetry.listSpans(ctx, { traceId, fromSpanId, limit: 500 }),
  );
  await measure("traces.outline, 2,000", () => telemetry.listSpanOutlines(ctx, { traceId }));
  await measure("traces.logs, 500", () => telemetry.listLogs(ctx, { traceId, limit: 500 }));
  const { startedAt, lastActivityAt } = conversation;
  const atOnce = { messages: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER, around: 0 };
  const nearlyAll = Math.floor(startedAt + 0.9 * (lastActivityAt - startedAt));
  let later = 0;
  for (const [what, until] of [
    ["", lastActivityAt],
    [" of nine tenths", nearlyAll],
  ] as const) {
    for (const [how, size] of [
      ["in windows", undefined],
      ["at once", atOnce],
    ] as const) {
      for (const collects of [false, true]) {
        // Another time, so that the Runs are new ones, of as much of the conversation.
        const { runs } = await diagnostics.createRuleRuns(ctx, { conversationId, lastActivityAt: until + later++ });
        const ids = runs.map(({ id }) => id);
        const name = `Runs of ${ids.length} Rules${what} ${how}${collects ? ", memory in use" : ""}`;
        await measure(name, () => diagnostics.executeRuleRuns(ctx, ids, size), { calls: 1, collects });
      }
    }
  }
} finally {
  await database.stop();
  process.exit();
}
