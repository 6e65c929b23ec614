import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { LiveSessions, Sent } from "./agents/live-sender";
import { startClients } from "./lib/client-process";
import { cpuOf } from "./lib/cpu";
import { databaseOf } from "./lib/database";
import { bound, machine, percentile } from "./lib/machine";
import { memory } from "./lib/memory";
import { startProduct } from "./lib/product";
import { slowestKinds } from "./lib/reads";
import { startSimulatedClient } from "./lib/simulated-client";

/**
 * Run by `npm run bench -- live-agents`: many agents at the same time, each sending its whole history every few seconds, while
 * a person works in the project. The same reads of the same long sessions are measured again afterwards with nothing else
 * going on, and compared with only the last part of the reads beside the agents, when the sessions have about that length.
 */
const READS_PER_SECOND = 8;
const IDLE_MS = 60_000;
const LAG_EVERY_MS = 500;
const LAG_MS = 2_000;
const READ_GROWTH = 1.25;
/** The last part of the reads beside the agents that is compared. */
const COMPARED = 1 / 4;
/** After this long without Runs, no more will come: longer than it takes until a conversation counts as inactive. */
const DIAGNOSED_MS = 40_000;
/** Spans stored beforehand, so that there is something to read. */
const STORED_BEFORE = 30_000;
const MB = 1e6;

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "200" },
    minutes: { type: "string", default: "10" },
    every: { type: "string", default: "5" },
  },
});
const [sessions, minutes, seconds] = [values.sessions, values.minutes, values.every].map(Number) as [
  number,
  number,
  number,
];
const ms = minutes * 60_000;

function sendSessions(live: LiveSessions): Promise<Sent> {
  const child = startClients(new URL("./agents/live-sender.ts", import.meta.url), live, { background: true });
  const gone = once(child, "exit").then(([code]) =>
    Promise.reject(new Error(`the agents' process ended with ${code}`)),
  );
  gone.catch(() => {}); // expected once it has answered
  return Promise.race([once(child, "message").then(([sent]) => sent as Sent), gone]);
}

console.log(machine());
const product = await startProduct();
const sql = databaseOf(product.dataDir);
const reader = startSimulatedClient({ project: product, connections: 4, batch: { spans: 500, bytesPerSpan: 1_500 } });

/** Age of the oldest trace in the projection queue. */
const lagMs = async () => {
  const [row] = await sql<{ age: string | null }[]>`
    select extract(epoch from now()) * 1000 - min(received_at) as age from projection_queue where not backlog`;
  return Number(row?.age ?? 0);
};
const storedBytes = async () => {
  const [row] = await sql<{ bytes: string }[]>`
    select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  return Number(row?.bytes);
};
/** Waits until the Rules have read what was stored before: until they have, the installation is not idle. */
async function untilDiagnosed() {
  for (let quiet = 0; quiet < DIAGNOSED_MS; quiet += LAG_EVERY_MS) {
    await sleep(LAG_EVERY_MS);
    const [row] = await sql`select 1 from rule_runs where status in ('queued', 'running') limit 1`;
    if (row) quiet = 0;
  }
}

const p95 = (took: readonly { value: number }[]) =>
  percentile(
    took.map(({ value }) => value),
    0.95,
  );

const lags: number[] = [];
let over = false;
let watching: Promise<void> | undefined;

try {
  await reader.store(STORED_BEFORE);
  while ((await lagMs()) > 0) await sleep(200);
  await untilDiagnosed();
  await reader.work({ batches: 0, reads: READS_PER_SECOND, ms: 10_000 }); // warm-up

  const before = { bytes: await storedBytes(), cpu: cpuOf(product.pid) };
  watching = (async () => {
    for (let round = 1; !over; round++) {
      lags.push(await lagMs());
      if (round % 60 === 0)
        console.log(
          `        ${Math.round((round * LAG_EVERY_MS) / 1000)} s: lag ${Math.round(lags.at(-1) ?? 0)} ms, ${Math.round(memory(product.pid).own)} MiB`,
        );
      await sleep(LAG_EVERY_MS);
    }
  })();
  const [sent, { reads }] = await Promise.all([
    sendSessions({ project: product, sessions, everyMs: seconds * 1000, ms }),
    reader.work({ batches: 0, reads: READS_PER_SECOND, ms }),
  ]);
  over = true;
  await watching;
  while ((await lagMs()) > 0) await sleep(200);
  const after = { bytes: await storedBytes(), cpu: cpuOf(product.pid) };
  await untilDiagnosed();
  const idle = (await reader.work({ batches: 0, reads: READS_PER_SECOND, ms: IDLE_MS })).reads;
  const live = reads.took.slice(-Math.floor(reads.took.length * COMPARED));
  const share = (part: "web" | "worker" | "database") =>
    ((after.cpu[part] - before.cpu[part]) / (ms / 1000)).toFixed(2);
  console.log(
    `${sent.took.length} spans, ${Math.round(sent.bytes / MB)} MB; stored ${((100 * (after.bytes - before.bytes)) / sent.bytes).toFixed(1)} %; cores: web ${share("web")}, worker ${share("worker")}, database ${share("database")}; p95 until a span is stored ${Math.round(p95(sent.took))} ms`,
  );
  console.log(`        p95 of reads by kind, ms: ${slowestKinds(live)}; idle: ${slowestKinds(idle.took)}`);
  const failed = [...sent.failed, ...reads.failed];
  bound(
    "nothing was refused",
    failed.length === 0,
    failed.length === 0
      ? `${sent.took.length} spans, ${reads.took.length} reads`
      : `${failed.length}, the first: ${failed[0]}`,
  );
  bound("spans arrived as planned", sent.latest <= seconds * 1000, `at most ${Math.round(sent.latest)} ms late`);
  bound(
    "lag, p95",
    percentile(lags, 0.95) <= LAG_MS,
    `${Math.round(percentile(lags, 0.95))} ms, at most ${Math.round(Math.max(...lags))} ms`,
  );
  const [quiet, busy] = [p95(idle.took), p95(live)];
  bound("p95 of reads", busy <= quiet * READ_GROWTH, `${quiet.toFixed(1)} → ${busy.toFixed(1)} ms, at most + 25 %`);
} finally {
  over = true;
  await watching?.catch(() => {});
  await sql.end({ timeout: 5 });
  reader.close();
  await product.stop();
}
