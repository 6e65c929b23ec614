/**
 * `npm run bench -- training-events`: what following a training job costs. Exits with 1 when a bound is missed.
 *
 * - an event of a live job: stored, projected and drawn in ≤ 5 ms, one by one and in batches of 500
 * - the charts of a job with 1,000,000 points: read in ≤ 200 ms
 */
import { sql } from "drizzle-orm";
import { db as pool } from "@/db/pool";
import { projects, trainingJobs, trainingManifests } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { getMetrics, storeEvents } from "@/server/services/training/events";

const EVENT_MS = 5;
const READ_MS = 200;
const ALONE = 500;
const BATCHES = 10;
const BATCH = 500;
const POINTS = 1_000_000;
const SERIES = 10;
const READS = 20;

// A million points are written in one statement.
process.env.DATABASE_STATEMENT_SECONDS = "0";

let missed = 0;
function report(what: string, ms: number, bound: number) {
  if (ms > bound) missed += 1;
  console.log(`${ms <= bound ? "ok    " : "MISSED"} ${what}: ${ms.toFixed(2)} ms (bound ${bound} ms)`);
}
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const db = pool();
const projectId = newId("prj") as ProjectId;
const ctx: Ctx = { db, projectId, actor: { kind: "operator" } };
await db.insert(projects).values({ id: projectId, name: "Benchmark" });
const sha256 = "ab".repeat(32);
const frozen = { projectId, sha256, fileId: "fil_1", datasetId: "ds_1", datasetVersion: 1, split: "train" as const };
await db.insert(trainingManifests).values({ ...frozen, method: "sft", rows: 1, bytes: 1 });

async function createJob() {
  const id = newId("job");
  await db.insert(trainingJobs).values({
    ...{ projectId, id, name: "Benchmark", status: "running", datasetId: "ds_1", datasetVersion: 1, method: "sft" },
    ...{ adapter: "lora", spec: {}, baseModelId: "tiny", manifestSha256: sha256, actorKind: "operator", updatedAt: 1 },
  });
  return id;
}

const event = (seq: number) => ({
  ...{ seq, attempt: 1, level: "info", message: "", type: "metrics", ts: new Date(seq * 1000).toISOString() },
  data: {
    ...{ step: seq, train_loss: 1 / seq, learning_rate: 1e-4, grad_norm: 1, train_mean_token_accuracy: 0.5, kl: 0.1 },
    rewards: { chosen: 1, rejected: 0, margin: 1, accuracy: 0.5 },
  },
});
const store = (id: string, events: object[]) => inTransaction(ctx, (tx) => storeEvents(tx, { id }, events));

const live = await createJob();
const alone: number[] = [];
for (let seq = 1; seq <= ALONE; seq++) {
  const from = performance.now();
  await store(live, [event(seq)]);
  alone.push(performance.now() - from);
}
report("an event of its own, median", median(alone), EVENT_MS);
const from = performance.now();
for (let batch = 0; batch < BATCHES; batch++) {
  await store(
    live,
    Array.from({ length: BATCH }, (_, index) => event(ALONE + batch * BATCH + index + 1)),
  );
}
report("an event of a batch", (performance.now() - from) / (BATCHES * BATCH), EVENT_MS);

const long = await createJob();
const steps = POINTS / SERIES;
for (let level = 0; level < 5; level++) {
  await db.execute(sql`
    insert into training_points (project_id, job_id, series, level, bucket, count, sum, min, max, step, value, at)
    select ${projectId}, ${long}, 'series_' || s, ${level}::int, n / (32 ^ ${level}::int)::int, count(*), sum(n), min(n), max(n), max(n), max(n), max(n)
    from generate_series(1, ${SERIES}::int) s, generate_series(0, ${steps - 1}::int) n group by s, 5`);
}
await db.execute(sql`analyze training_points`);
for (const points of [500, 2000]) {
  const reads: number[] = [];
  for (let read = 0; read < READS; read++) {
    const began = performance.now();
    await getMetrics(ctx, { jobId: long, points });
    reads.push(performance.now() - began);
  }
  report(
    `${SERIES} series of ${POINTS} points, at most ${points} each, slowest of ${READS}`,
    Math.max(...reads),
    READ_MS,
  );
}
process.exit(missed > 0 ? 1 : 0);
