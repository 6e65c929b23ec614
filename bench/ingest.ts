import { randomBytes } from "node:crypto";
import { cpuOf } from "./lib/cpu";
import { databaseOf } from "./lib/database";
import { bound, machine, percentile } from "./lib/machine";
import { memory } from "./lib/memory";
import { protobufBatch } from "./lib/otlp-batch";
import { startProduct } from "./lib/product";
import { senderTo } from "./lib/sender";

/**
 * Run by `npm run bench -- ingest`: durable spans per second over HTTP, compared with a raw COPY of equally many rows of that
 * size into the same database in the same run.
 */
const SPANS = Number(process.argv[2] ?? 100_000);
const BATCH = 500;
const CONNECTIONS = 4;
const SPAN_BYTES = 1500;
const SHARE_OF_COPY = 0.5;
const READABLE_A_SECOND = 8_000;
const READABLE_WITHIN_MS = 2000;
const HUGE_BATCH_BYTES = 16 * 1024 * 1024;
const LONG_TRACE = 20_000;

const product = await startProduct();
const { post, close } = senderTo(product, CONNECTIONS);

async function send(batches: readonly Uint8Array[], connections: number) {
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let batch = batches[next++]; batch; batch = batches[next++]) {
        const status = await post(batch);
        if (status !== 200) throw new Error(`The product answered ${status}.`);
      }
    }),
  );
  return (performance.now() - start) / 1000;
}

const sql = databaseOf(product.dataDir);

const waiting = async () => Number((await sql`select count(*) from projection_queue`)[0]!.count);
async function untilReadable() {
  const start = performance.now();
  while ((await waiting()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  return (performance.now() - start) / 1000;
}

/** Measures how long after a batch's acknowledgement its conversation is readable over `/v1` on an idle product. */
async function delaysUntilReadable() {
  const delays: number[] = [];
  for (let i = 0; i < 20; i++) {
    const traceId = randomBytes(16);
    await post(protobufBatch({ spans: 10, spansPerTrace: 10, bytesPerSpan: SPAN_BYTES, traceId }));
    const start = performance.now();
    for (let readable = false; !readable; ) {
      const reply = await fetch(`${product.url}/v1/projects/${product.projectId}/traces/${traceId.toString("hex")}`, {
        headers: { authorization: `Bearer ${product.secret}` },
      });
      readable = reply.ok && (await reply.json()).trace.conversationId !== null;
    }
    delays.push(performance.now() - start);
  }
  return delays;
}

/** Seven columns, one of them jsonb of the span's size, and a primary key; as many COPYs as there were batches. */
async function rawCopy(spans: number) {
  await sql`create table bench_copy (project_id text, trace_id text, span_id text, name text, started bigint, ended bigint, attributes jsonb, primary key (project_id, trace_id, span_id))`;
  const attributes = JSON.stringify({
    "gen_ai.operation.name": "chat",
    text: "order refund address ".repeat(Math.floor(SPAN_BYTES / 21)),
  });
  const chunks = Array.from({ length: spans / BATCH }, () =>
    Array.from(
      { length: BATCH },
      () => `prj\t${randomBytes(16).toString("hex")}\t${randomBytes(8).toString("hex")}\tchat\t1\t2\t${attributes}\n`,
    ).join(""),
  );
  const start = performance.now();
  const stream = await sql`copy bench_copy from stdin`.writable();
  for (const chunk of chunks) {
    if (!stream.write(chunk)) await new Promise((resolve) => stream.once("drain", resolve));
  }
  await new Promise((resolve, reject) => stream.on("finish", resolve).on("error", reject).end());
  const seconds = (performance.now() - start) / 1000;
  await sql`drop table bench_copy`;
  return seconds;
}

try {
  console.log(machine());
  const batches = Array.from({ length: SPANS / BATCH }, () =>
    protobufBatch({ spans: BATCH, spansPerTrace: 10, bytesPerSpan: SPAN_BYTES }),
  );
  const bytes = batches.reduce((sum, batch) => sum + batch.byteLength, 0);
  console.log(
    `${SPANS.toLocaleString("en")} spans of ${Math.round(bytes / SPANS)} bytes, ${BATCH} a batch, ${CONNECTIONS} connections`,
  );
  await send(
    batches.slice(0, 10).map(() => protobufBatch({ spans: BATCH, spansPerTrace: 10, bytesPerSpan: SPAN_BYTES })),
    CONNECTIONS,
  );
  await untilReadable();

  const begun = cpuOf(product.pid);
  const durable = await send(batches, CONNECTIONS);
  const onceSent = cpuOf(product.pid);
  const behind = await untilReadable();
  const onceRead = cpuOf(product.pid);
  const copy = await rawCopy(SPANS);
  const rate = Math.round(SPANS / durable);
  const copyRate = Math.round(SPANS / copy);
  console.log(`durable over HTTP   ${rate.toLocaleString("en")} spans/s`);
  const readable = Math.round(SPANS / (durable + behind));
  bound(
    "readable",
    readable >= READABLE_A_SECOND,
    `${readable.toLocaleString("en")} spans/s (${behind.toFixed(1)} s after the last answer), at least ${READABLE_A_SECOND.toLocaleString("en")}`,
  );
  for (const [phase, from, to] of [
    ["sending", begun, onceSent],
    ["reading", onceSent, onceRead],
  ] as const) {
    const taken = (["web", "worker", "database"] as const).map(
      (part) => `${part} ${(to[part] - from[part]).toFixed(1)} s`,
    );
    console.log(`processor time while ${phase}: ${taken.join(", ")}`);
  }
  console.log(`raw COPY            ${copyRate.toLocaleString("en")} rows/s`);
  bound(
    "share of a raw COPY",
    rate / copyRate >= SHARE_OF_COPY,
    `${((100 * rate) / copyRate).toFixed(0)} %, at least ${100 * SHARE_OF_COPY} %`,
  );

  const delays = await delaysUntilReadable();
  bound(
    "readable after a batch, slowest of 20",
    Math.max(...delays) <= READABLE_WITHIN_MS,
    `${Math.round(Math.max(...delays))} ms, median ${Math.round(percentile(delays, 0.5))} ms`,
  );

  const rest = memory(product.pid).whole;
  const huge = protobufBatch({
    spans: Math.floor(HUGE_BATCH_BYTES / (SPAN_BYTES + 170)),
    spansPerTrace: 10,
    bytesPerSpan: SPAN_BYTES,
  });
  const seconds = await send([huge], 1);
  console.log(
    `a batch of ${(huge.byteLength / 2 ** 20).toFixed(1)} MiB   ${seconds.toFixed(2)} s, memory of the tree ${rest.toFixed(0)} → ${memory(product.pid).whole.toFixed(0)} MiB`,
  );
  await untilReadable();

  const before = memory(product.pid).whole;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, memory(product.pid).whole)), 100);
  const long = splitTrace(LONG_TRACE);
  const sent = await send(long, 1);
  const read = await untilReadable();
  clearInterval(watch);
  console.log(
    `a trace of ${LONG_TRACE.toLocaleString("en")} spans   sent in ${sent.toFixed(1)} s, readable ${read.toFixed(1)} s later, memory ${before.toFixed(0)} → ${peak.toFixed(0)} MiB at most`,
  );
} finally {
  await sql.end({ timeout: 5 });
  close();
  await product.stop();
}

/** One trace split over many batches. */
function splitTrace(spans: number) {
  const traceId = randomBytes(16);
  return Array.from({ length: spans / BATCH }, () =>
    protobufBatch({ spans: BATCH, spansPerTrace: BATCH, bytesPerSpan: SPAN_BYTES, traceId }),
  );
}
