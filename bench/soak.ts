import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type postgres from "postgres";
import { RULES } from "@/server/services/diagnostics/rules";
import { databaseOf } from "./lib/database";
import { bound, machine, percentile } from "./lib/machine";
import { memory } from "./lib/memory";
import { startProduct } from "./lib/product";
import { slowestKinds } from "./lib/reads";
import { startSimulatedClient } from "./lib/simulated-client";
import { type Sample, thirdsOf } from "./lib/thirds";

/**
 * Run by `npm run bench -- soak`: spans arrive at a quarter of the rate at which they become readable while people read, and
 * nothing may grow: memory, read latency, queues. `--minutes 3` is the short form; `--rate` (readable spans a second)
 * replaces the calibration.
 *
 * Memory is that of the Node processes and of the database's processes without shared memory: its page cache grows until it
 * is full, which with a growing data set is not a leak.
 */
const BATCH = 500;
const SPAN_BYTES = 1500;
const CONNECTIONS = 4;
const CALIBRATION_SPANS = 30_000;
/**
 * All ten Rules take 1.4 times as long for a conversation as storing and reading it. At a quarter of what can be read
 * alone, all of it takes about five eighths of the processors, and statistics, vacuum and people's reads a part of the rest.
 */
const SHARE_OF_READABLE = 0.25;
const READS_PER_SECOND = 8;
/** Few, because sampling every process's memory costs a fraction of a core-second. */
const SAMPLES = 120;
/** Share of the time in which caches fill, pools open and the database gathers statistics. */
const WARM_UP = 0.2;

const MEMORY_GROWTH = 1.1;
/** On an otherwise idle machine the p95 of ten minutes varies by this much; the floor is timer noise. */
const READ_GROWTH = 1.25;
const READ_FLOOR_MS = 5;
/** This many seconds of arrivals may be queued at any moment: the projector works in passes, the Rules in sweeps. */
const QUEUE_FLOOR_SECONDS = 2;
const UNREAD_FLOOR_SECONDS = 30;
const BACKLOG_GROWTH = 1.25;
const LATE_MS = 5_000;

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, rate: { type: "string" } },
});
const minutes = Number(values.minutes);
const whole = (value: number) => Math.round(value).toLocaleString("en");

console.log(machine());
const product = await startProduct();
const sql = databaseOf(product.dataDir);
const startLoad = () =>
  startSimulatedClient({
    project: product,
    connections: CONNECTIONS,
    batch: { spans: BATCH, bytesPerSpan: SPAN_BYTES },
  });
/** Separate from each other and from the measuring process, so that no latency includes another's work. */
const [sender, reader] = [startLoad(), startLoad()];

const count = async (rows: PromiseLike<readonly postgres.Row[]>) => Number((await rows)[0]?.count);
const queued = () => count(sql`select count(*) from projection_queue`);
const unread = () =>
  count(sql`select count(*) from conversations where diagnosed_received_at is distinct from received_at`);
const waitingRuns = () => count(sql`select count(*) from rule_runs where status in ('queued', 'running')`);

/** Measures readable spans per second: the time for a burst until the queue is empty. */
async function calibrate() {
  const begun = performance.now();
  await sender.store(CALIBRATION_SPANS);
  while ((await queued()) > 0) await sleep(50);
  return CALIBRATION_SPANS / ((performance.now() - begun) / 1000);
}

/** Returns the first and the last third's median, or another percentile. */
function compare(samples: readonly Sample[], share = 0.5) {
  const { first, last } = thirdsOf(samples, WARM_UP);
  return { first: percentile(first, share), last: percentile(last, share) };
}

try {
  await calibrate(); // warm-up: a fresh process is slower, and reads need data
  const readable = values.rate ? Number(values.rate) : await calibrate();
  const rate = readable * SHARE_OF_READABLE;
  console.log(
    `${whole(readable)} readable spans/s ${values.rate ? "(--rate)" : "(calibrated in this run)"}: ${whole(rate)} spans/s for ${minutes} minutes, ${READS_PER_SECOND} reads/s`,
  );
  await reader.read(1);

  const begun = performance.now();
  const ms = minutes * 60_000;
  const own: Sample[] = [];
  const all: Sample[] = [];
  const waiting: Sample[] = [];
  const undiagnosed: Sample[] = [];
  const runs: Sample[] = [];
  const everyMs = Math.max(10_000, ms / SAMPLES);
  const sampled = (async () => {
    for (; performance.now() - begun < ms; await sleep(everyMs)) {
      const at = performance.now();
      const used = memory(product.pid);
      own.push({ at, value: used.own });
      all.push({ at, value: used.whole });
      waiting.push({ at, value: await queued() });
      undiagnosed.push({ at, value: await unread() });
      runs.push({ at, value: await waitingRuns() });
    }
  })();
  const printing = setInterval(() => {
    console.log(
      `${whole((performance.now() - begun) / 1000).padStart(6)} s  ${whole(own.at(-1)?.value ?? 0)} MiB, ${whole(waiting.at(-1)?.value ?? 0)} traces wait, ${whole(undiagnosed.at(-1)?.value ?? 0)} conversations to be diagnosed, ${whole(runs.at(-1)?.value ?? 0)} Rule Runs wait`,
    );
  }, 60_000);
  const [{ ingest }, { reads }] = await Promise.all([
    sender.work({ batches: rate / BATCH, reads: 0, ms }),
    reader.work({ batches: 0, reads: READS_PER_SECOND, ms }),
    sampled,
  ]).finally(() => clearInterval(printing));

  const seconds = (performance.now() - begun) / 1000;
  const traces = rate / 10;
  const memories = compare(own);
  const caches = compare(all);
  const slow = compare(reads.took, 0.95);
  const stored = compare(ingest.took, 0.95);
  const queue = compare(waiting);
  const quiet = compare(undiagnosed);
  const ruled = compare(runs);
  const arrow = ({ first, last }: { first: number; last: number }, unit: string) =>
    `${whole(first)} → ${whole(last)} ${unit}`;
  console.log(`\nfirst third → last third, after a fifth of the time`);
  console.log(`        with the database's cache: ${arrow(caches, "MiB")}`);
  console.log(`        p95 until a batch is stored: ${arrow(stored, "ms")}`);
  console.log(`        p50 of reads: ${arrow(compare(reads.took), "ms")}`);
  console.log(`        p95 of reads by kind, ms: ${slowestKinds(reads.took)}`);
  const batches = ingest.took.length;
  bound(
    "spans arrived as planned",
    batches >= 0.98 * ((rate / BATCH) * minutes * 60) && ingest.latest < LATE_MS,
    `${whole((batches * BATCH) / seconds)} spans/s, at most ${whole(ingest.latest)} ms late`,
  );
  const failed = [...ingest.failed, ...reads.failed];
  bound(
    "nothing was refused",
    failed.length === 0,
    failed.length === 0 ? `${reads.took.length} reads` : `${failed.length}, the first: ${failed[0]}`,
  );
  bound("memory, median", memories.last <= memories.first * MEMORY_GROWTH, `${arrow(memories, "MiB")}, at most + 10 %`);
  bound(
    "p95 of reads",
    slow.last <= Math.max(slow.first * READ_GROWTH, slow.first + READ_FLOOR_MS),
    `${arrow(slow, "ms")}, at most + 25 %`,
  );
  bound(
    "traces that wait to be readable, median",
    queue.last <= Math.max(queue.first * BACKLOG_GROWTH, traces * QUEUE_FLOOR_SECONDS),
    `${arrow(queue, "traces")}, at most + 25 % or what arrives in ${QUEUE_FLOOR_SECONDS} s`,
  );
  bound(
    "conversations that wait for the Rules, median",
    quiet.last <= Math.max(quiet.first * BACKLOG_GROWTH, traces * UNREAD_FLOOR_SECONDS),
    `${arrow(quiet, "conversations")}, at most + 25 % or what arrives in ${UNREAD_FLOOR_SECONDS} s`,
  );
  bound(
    "Rule Runs that wait, median",
    ruled.last <= Math.max(ruled.first * BACKLOG_GROWTH, traces * RULES.length * UNREAD_FLOOR_SECONDS),
    `${arrow(ruled, "Runs")}, at most + 25 % or what is to be run in ${UNREAD_FLOOR_SECONDS} s`,
  );
} finally {
  await sql.end({ timeout: 5 });
  sender.close();
  reader.close();
  await product.stop();
}
