import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { newProject } from "../testbed/data/project";
import { startProduct } from "../testbed/product/product";
import { makeTrainer } from "../testbed/servers/real-trainer";
import { leftServers, settle } from "./deploys/settle";
import { clientOf, type Json, trainCheckpoints } from "./deploys/taught";
import { deployVictimsOf, VICTIMS, type Victim } from "./deploys/victims";
import { watch } from "./deploys/watch";
import { databaseOf } from "./lib/database";
import { bound, machine, percentile } from "./lib/machine";
import { randomOf } from "./lib/random";

/**
 * Run by `npm run bench -- deploys`: deploys checkpoints of a model that was really trained, two at a time and under two names,
 * and kills the app, its worker, the trainer or a model's server with `kill -9` in the middle of each. Two must never run under
 * one name, and one reported as running must answer. `--seed` repeats names, victims and moments; `--deploys 6` is the short
 * form.
 */
const NAMES = ["shop-agent", "other-agent"] as const;
/** Deployments requested at the same time, under one name or two. */
const AT_ONCE = 2;
/** Seeds of the jobs whose checkpoints are deployed: one runs under a name while two more are deployed at the same time. */
const SEEDS = [1, 2, 3];
/** Between the request and the kill: longer than a deployment takes, so that some kills hit one that is already running. */
const LONGEST_GAP_MS = 14_000;
const LONGEST_ABSENCE_MS = 4_000;
/** A request is repeated until it is answered, because disconnecting changes nothing. */
const ANSWERED_WITHIN_MS = 240_000;
const RETRY_MS = 500;
/** A victim that is down is back within this time. */
const THERE_WITHIN_MS = 60_000;
const LOOK_MS = 20;
/** A crash is noticed at the next check of a running deployment. */
const SILENT_MS = 30_000;
const BREACHES_SHOWN = 10;

const { values } = parseArgs({
  options: {
    deploys: { type: "string", default: "100" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});
const deploys = Number(values.deploys);
const random = randomOf(Number(values.seed));
const oneOf = <T>(given: readonly T[]): T => given[Math.floor(random() * given.length)] as T;

console.log(machine());
console.log(`${deploys} deployments, --seed ${values.seed}`);
const trainer = await makeTrainer();
const product = await startProduct();
const service = await trainer.start(product);
const project = await newProject(product.url, product.dataDir);
const base = `${project.url}/v1/projects/${project.projectId}`;
const manager = await project.newKey("workspace:read", "models:manage", "project:models:manage", "telemetry:write");
const call = clientOf(base, manager);
const victims = deployVictimsOf(product, trainer, service, random);
const sql = databaseOf(product.dataDir);

type Attempt = { name: string; checkpointId: string; victim: Victim; gapMs: number; absenceMs: number };

const breaches: string[] = [];
const outcomes = new Map<string, number>();
const tookMs: number[] = [];
const killed: { victim: Victim; backMs: number | null }[] = [];

/** Deploys and waits for the reply, like a client that repeats its request. Returns the outcome in a word. */
async function deploy(checkpointId: string, name: string): Promise<string> {
  const begun = Date.now();
  let last = "";
  while (Date.now() - begun < ANSWERED_WITHIN_MS) {
    try {
      const { deployment } = await call("POST", `/fine-tuning/checkpoints/${checkpointId}/deploy`, { name });
      tookMs.push(Date.now() - begun);
      return deployment.status;
    } catch (error) {
      last = String(error);
      await sleep(RETRY_MS);
    }
  }
  breaches.push(`the request to deploy ${name} was not answered: ${last}`);
  return "not answered";
}

/** Deploys once and kills one process meanwhile or soon after. */
async function deployAndKill(what: string, { name, checkpointId, victim, gapMs, absenceMs }: Attempt) {
  const deployed = deploy(checkpointId, name);
  await sleep(gapMs);
  let back = victims.kill(victim, absenceMs);
  // Not running: a server that has not been started yet, or a process that is still down.
  for (const begun = Date.now(); !back && Date.now() - begun < THERE_WITHIN_MS; back = victims.kill(victim, absenceMs))
    await sleep(LOOK_MS);
  const backMs = (await back) ?? null;
  killed.push({ victim, backMs });
  if (backMs === null) breaches.push(`${what}: the ${victim} ${back ? "did not come back" : "was not there"}`);
  const outcome = await deployed;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  console.log(`${`${what}, kill of the ${victim} after ${(gapMs / 1000).toFixed(1)} s`.padEnd(72)} ${outcome}`);
}

/** Chooses what to deploy at the same time: nothing that already runs under its name, so each request is a new deployment. */
async function chooseAttempts(count: number, checkpoints: readonly string[]): Promise<Attempt[]> {
  const rows = await sql`
    select name, checkpoint_id as "checkpointId" from deployments
    where project_id = ${project.projectId} and status = 'running'`;
  const taken = new Set(rows.map((row) => `${row.name} ${row.checkpointId}`));
  return Array.from({ length: count }, () => {
    const name = oneOf(NAMES);
    const checkpointId = oneOf(checkpoints.filter((id) => !taken.has(`${name} ${id}`)));
    taken.add(`${name} ${checkpointId}`);
    const [gapMs, absenceMs] = [random() * LONGEST_GAP_MS, random() * LONGEST_ABSENCE_MS];
    return { name, checkpointId, victim: oneOf(VICTIMS), gapMs, absenceMs };
  });
}

async function round(from: number, checkpoints: readonly string[]) {
  const count = Math.min(AT_ONCE, deploys - from);
  const attempts = await chooseAttempts(count, checkpoints);
  await Promise.all(attempts.map((one, n) => deployAndKill(`${from + n + 1}: ${one.name}`, one)));
  const found = await settle(sql, project.projectId, trainer, { base, secret: manager });
  for (const one of found) console.log(`          ${one}`);
  breaches.push(...found.map((one) => `after ${from + count}: ${one}`));
}

try {
  const checkpoints = await trainCheckpoints(call, trainer, SEEDS);
  const watching = watch(sql, project.projectId, trainer, victims.isAllThere);
  const begun = performance.now();
  for (let from = 0; from < deploys; from += AT_ONCE) await round(from, checkpoints);
  const seconds = (performance.now() - begun) / 1000;
  const { looks, doubled, silences } = await watching.stop();

  const { deployments } = await call("GET", "/fine-tuning/deployments?status=running&limit=100");
  for (const { id } of deployments as Json[]) await call("POST", `/fine-tuning/deployments/${id}/stop`, {});
  const left = await leftServers(trainer);
  const [made] =
    await sql`select count(*)::int as deployments from deployments where project_id = ${project.projectId}`;

  console.log(`\n${"killed".padEnd(20)}${"times".padStart(8)}${"back, median".padStart(16)}${"slowest".padStart(12)}`);
  for (const victim of VICTIMS) {
    const all = killed.filter((one) => one.victim === victim);
    const times = all.flatMap(({ backMs }) => backMs ?? []);
    const shown = (ms: number) => (times.length ? `${(ms / 1000).toFixed(1)} s` : "–");
    console.log(
      `${victim.padEnd(20)}${String(all.length).padStart(8)}${shown(percentile(times, 0.5)).padStart(16)}${shown(Math.max(...times)).padStart(12)}`,
    );
  }
  const silentMs = silences.map(({ ms }) => ms);
  const figures: Record<string, string> = {
    seconds: seconds.toFixed(0),
    "replies to requests": [...outcomes].map(([status, count]) => `${count} ${status}`).join(", "),
    "until the reply": `${(percentile(tookMs, 0.5) / 1000).toFixed(1)} s median, ${(Math.max(...tookMs) / 1000).toFixed(1)} s longest`,
    "looks at all that run": String(looks),
    "times one did not answer": String(silences.length),
    "longest of them": `${(Math.max(0, ...silentMs) / 1000).toFixed(1)} s`,
  };
  console.log();
  for (const [what, figure] of Object.entries(figures)) console.log(`${what.padEnd(30)}${figure}`);
  console.log();
  const none = (what: string, found: readonly string[]) => {
    bound(what, found.length === 0, found.length === 0 ? "yes" : `${found.length} against it`);
    for (const one of found.slice(0, BREACHES_SHOWN)) console.log(`          ${one.slice(0, 500)}`);
  };
  bound("deployments", made?.deployments >= deploys, String(made?.deployments));
  bound("kills", killed.length === deploys, String(killed.length));
  none("never two under one name", doubled);
  none(
    `none is said to run for more than ${SILENT_MS / 1000} s that does not answer`,
    silences.filter(({ ms }) => ms > SILENT_MS).map(({ id, ms }) => `${id}: ${(ms / 1000).toFixed(1)} s`),
  );
  none("after each, everything that runs answers under its name and nothing else is left", breaches);
  none("no server is left at the end", left);
  if (process.exitCode)
    console.log(`\nWhat the product said:\n${product.output().slice(-6000)}\nThe trainer: ${trainer.log}`);
} finally {
  await sql.end({ timeout: 5 });
  await product.stop();
  await victims.stopTrainer();
}
