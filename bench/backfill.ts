import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { Cluster, urlOf } from "../scripts/lib/database/postgres.mjs";
import { cli } from "../testbed/data/project";
import { startProduct } from "../testbed/product/product";
import { conversationsOf, fillForBackfill, forgetDiagnoses, mirrorTime, PROJECT } from "./backfill/fill";
import { findingsOf, sameFindings } from "./backfill/findings";
import { bound, machine, percentile } from "./lib/machine";
import { memory } from "./lib/memory";
import { atPace, type Paced } from "./lib/pace";
import { readerOf, slowestKinds } from "./lib/reads";

/**
 * Run by `npm run bench -- backfill --conversations 100000`: backfills stored conversations through the product itself while
 * a person reads, then again in the same order and once with time reversed; all three must find the same.
 */
const BOUND_MINUTES = 5;
const BOUND_AT = 100_000;
const PAGES_P95_MS = 300;
const READS_PER_SECOND = 4;
const READ_WINDOW_MS = 4_000;
const MEMORY_EVERY_MS = 10_000;
/** Growth of the Node processes' own memory from the first third of the time to the last. */
const MEMORY_GROWTH = 1.25;

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "100000" },
    /** The Rules to backfill, one after the other; all by default. */
    rules: { type: "string", default: "tool-failure" },
    "data-dir": { type: "string", default: path.join(process.env.DATA_DIR ?? ".data", "bench-backfill") },
    fresh: { type: "boolean", default: false },
    /** Skips the runs that compare Findings. */
    once: { type: "boolean", default: false },
  },
});
process.env.WHETSTONE_SECRET ??= randomBytes(32).toString("base64url");

const begun = performance.now();
const progress = (line: string) =>
  console.log(`${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s  ${line}`);
const count = Number(values.conversations);
const folder = path.resolve(values["data-dir"]);
console.log(`${machine()}; about ${count.toLocaleString("en")} conversations`);

const note = path.join(folder, `filled-${count}`);
const cluster = (throwaway: boolean) =>
  new Cluster(path.join(folder, "postgres"), { log: path.join(folder, "postgres.log"), throwaway });
if (values.fresh || !existsSync(note)) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const building = cluster(true);
  await building.create();
  const server = await building.start();
  try {
    await fillForBackfill(urlOf(building.access, "whetstone"), count, progress);
  } finally {
    await server.stop();
  }
  writeFileSync(note, "");
}

const filled = cluster(false);
const server = await filled.start();
const databaseUrl = urlOf(filled.access, "whetstone");
const sql = postgres(databaseUrl, { max: 2, onnotice: () => {} });
await forgetDiagnoses(sql);
const stored = await conversationsOf(sql);
const product = await startProduct({
  env: { DATABASE_URL: databaseUrl, WHETSTONE_SECRET: process.env.WHETSTONE_SECRET },
});

type Backfill = {
  id: string;
  scanStatus: string;
  counts: Record<"queued" | "running" | "completed" | "skipped" | "failed", number>;
};

/** Runs the Rules' backfills to completion, one after the other, and returns what each did and the seconds it took. */
async function backfill(secret: string, ruleIds: readonly string[]) {
  const ask = async (path: string, body?: object) => {
    const reply = await fetch(`${product.url}/v1/projects/${PROJECT}/diagnostics/${path}`, {
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { backfill: Backfill }).backfill;
  };
  const done: (Backfill & { ruleId: string; seconds: number })[] = [];
  for (const ruleId of ruleIds) {
    const started = performance.now();
    let state = await ask(`rules/${ruleId}/backfills`, {
      startMs: 0,
      endMs: Date.now() + 86_400_000,
      maxConversations: stored,
    });
    while (["queued", "scanning", "processing"].includes(state.scanStatus)) {
      await sleep(500);
      state = await ask(`backfills/${state.id}`);
    }
    const seconds = (performance.now() - started) / 1000;
    const { completed, skipped, failed } = state.counts;
    progress(
      `${ruleId}: ${state.scanStatus}, ${completed} completed, ${skipped} skipped, ${failed} failed in ${seconds.toFixed(1)} s, ${Math.round((completed + skipped) / seconds)} conversations a second`,
    );
    done.push({ ...state, ruleId, seconds });
  }
  return done;
}

try {
  const { secret } = cliOn(
    "key",
    "create",
    "--project",
    PROJECT,
    ...capabilities("diagnostics:read", "diagnostics:write", "telemetry:write", "project:data:read"),
  );
  const ruleIds = values.rules === "all" ? await rulesOf(secret) : values.rules.split(",");

  const reader = readerOf({ url: product.url, projectId: PROJECT, secret });
  await reader.read(0);
  const heap: number[] = [];
  let isDone = false;
  const sampling = (async () => {
    while (!isDone) {
      heap.push(memory(product.pid).own);
      await sleep(MEMORY_EVERY_MS);
    }
  })();
  const reading = (async () => {
    const all: Paced = { took: [], failed: [], latest: 0 };
    while (!isDone) {
      const from = all.took.length + all.failed.length;
      const window = { perSecond: READS_PER_SECOND, atOnce: 8, until: performance.now() + READ_WINDOW_MS };
      const { took, failed } = await atPace(window, (nth) => reader.read(from + nth));
      all.took.push(...took.map((one) => ({ ...one, nth: from + one.nth })));
      all.failed.push(...failed);
    }
    return all;
  })();
  const first = await backfill(secret, ruleIds);
  isDone = true;
  const { took, failed } = await reading;
  await sampling;

  const seconds = Math.max(...first.map((one) => one.seconds));
  const expected = (BOUND_MINUTES * 60 * stored) / BOUND_AT;
  bound(
    `a backfill of ${stored.toLocaleString("en")} conversations within ${expected.toFixed(0)} s, slowest of ${first.length}`,
    seconds <= expected && first.every((one) => one.scanStatus === "completed"),
    `${seconds.toFixed(1)} s`,
  );
  const p95 = percentile(
    took.map(({ value }) => value),
    0.95,
  );
  bound(
    `p95 of ${took.length} reads meanwhile within ${PAGES_P95_MS} ms, none refused`,
    p95 <= PAGES_P95_MS && failed.length === 0,
    `${p95.toFixed(0)} ms (${slowestKinds(took)})${failed[0] ? `; ${failed[0]}` : ""}`,
  );
  const third = Math.max(1, Math.floor(heap.length / 3));
  const mean = (some: readonly number[]) => some.reduce((sum, one) => sum + one, 0) / some.length;
  const growth = mean(heap.slice(-third)) / mean(heap.slice(0, third));
  bound(
    "memory flat, last third of the time against the first",
    growth <= MEMORY_GROWTH,
    `${growth.toFixed(2)} times, at most ${Math.max(...heap).toFixed(0)} MiB`,
  );

  if (!values.once) {
    const found = await findingsOf(sql);
    const again = await backfill(secret, ruleIds);
    bound(
      "the same backfill again repeats nothing and changes no Finding",
      again.every((one) => one.counts.skipped === stored) && sameFindings(found, await findingsOf(sql)),
      `${found.length} Findings`,
    );
    await forgetDiagnoses(sql);
    await mirrorTime(sql);
    await backfill(secret, ruleIds);
    const mirrored = await findingsOf(sql);
    bound(
      "the conversations in another order give the same Findings",
      sameFindings(found, mirrored),
      `${found.length} and ${mirrored.length}`,
    );
    await mirrorTime(sql);
  }
} finally {
  await sql.end({ timeout: 5 });
  await product.stop();
  await server.stop();
}

function capabilities(...names: string[]) {
  return names.flatMap((name) => ["--capability", name]);
}

function cliOn(...args: string[]) {
  process.env.DATABASE_URL = databaseUrl;
  return cli(product.dataDir, ...args);
}

async function rulesOf(secret: string): Promise<string[]> {
  const reply = await fetch(`${product.url}/v1/projects/${PROJECT}/diagnostics/rules`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const { rules } = (await reply.json()) as { rules: { id: string }[] };
  return rules.map(({ id }) => id);
}
