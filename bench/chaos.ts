import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { newProject } from "../testbed/data/project";
import { startProduct } from "../testbed/product/product";
import { gather } from "./chaos/evidence";
import { judge } from "./chaos/judge";
import { startLoad } from "./chaos/load";
import { VICTIMS, type Victim, victimsOf } from "./chaos/victims";
import { databaseOf } from "./lib/database";
import { bound, machine, percentile } from "./lib/machine";
import { randomOf } from "./lib/random";

/**
 * Run by `npm run bench -- chaos`: kills one process of the product after another with `kill -9` while it ingests spans and
 * executes Rule Runs. Nothing acknowledged may be lost, nothing done twice. `--seed` repeats the choice of victims and gaps;
 * `--kills 6` is the short form.
 */
const LONGEST_GAP_MS = 5_000;
/** Share of kills that do not wait for the previous victim to come back. */
const HURRIED = 0.25;
const LONGEST_HURRIED_GAP_MS = 800;
const BREACHES_SHOWN = 5;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
  },
});
const kills = Number(values.kills);
const random = randomOf(Number(values.seed));

console.log(machine());
console.log(`${kills} kills, --seed ${values.seed}`);
const product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1" } });
const project = await newProject(product.url, product.dataDir);
const writer = await project.newKey("diagnostics:write", "diagnostics:read");
const victims = victimsOf(product, random);
const killed: { victim: Victim; backMs: number | null }[] = [];
const notBack: string[] = [];
let ended = false;
void product.exited.then(() => {
  ended = true;
});

async function chaos() {
  for (let nth = 1; nth <= kills; nth += 1) {
    const hurried = random() < HURRIED;
    await sleep(random() * (hurried ? LONGEST_HURRIED_GAP_MS : LONGEST_GAP_MS));
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] as Victim;
    let pid = victims.kill(victim);
    // Not running: an earlier kill ended it, and it is not back yet.
    for (const begun = Date.now(); !pid && !ended && Date.now() - begun < 60_000; pid = victims.kill(victim))
      await sleep(20);
    const name = `kill ${nth} (${victim}, process ${pid})`;
    if (ended || !pid) return void notBack.push(ended ? `${name}: the product ended` : `${name}: none was there`);
    const backMs = hurried && nth < kills ? null : await victims.back(victim, pid);
    killed.push({ victim, backMs });
    console.log(
      `${name.padEnd(60)} ${backMs === null ? "the next follows at once" : `ready after ${(backMs / 1000).toFixed(1)} s`}`,
    );
    if (backMs === null && !(hurried && nth < kills)) return void notBack.push(name);
  }
}

try {
  const begun = performance.now();
  const { load, stop } = startLoad(project, writer);
  await chaos();
  const seconds = (performance.now() - begun) / 1000;
  await stop();
  const sql = databaseOf(product.dataDir);
  const found = await gather(sql, project.projectId).finally(() => sql.end({ timeout: 5 }));

  console.log(
    `\n${"killed".padEnd(26)}${"times".padStart(8)}${"ready again, median".padStart(22)}${"slowest".padStart(12)}`,
  );
  for (const victim of VICTIMS) {
    const all = killed.filter((one) => one.victim === victim);
    const times = all.flatMap(({ backMs }) => backMs ?? []);
    const shown = (ms: number) => (times.length ? `${(ms / 1000).toFixed(1)} s` : "–");
    console.log(
      `${victim.padEnd(26)}${String(all.length).padStart(8)}${shown(percentile(times, 0.5)).padStart(22)}${shown(Math.max(...times)).padStart(12)}`,
    );
  }
  const figures = {
    "seconds under load": Math.round(seconds),
    "spans acknowledged": load.acknowledged.length,
    "spans stored": found.stored.length,
    "batches retried": load.sentAgain,
    sessions: load.sessions.size,
    "requests for Rule Runs answered": load.asked.length,
    "Rule Runs": found.runs.length,
    "background jobs": found.jobs.length,
    occurrences: found.occurrences.length,
  };
  console.log();
  for (const [what, figure] of Object.entries(figures))
    console.log(`${what.padEnd(40)}${figure.toLocaleString("en").padStart(12)}`);
  console.log();
  bound("kills", killed.length === kills, `${killed.length} of ${kills}`);
  bound("the load was one", load.acknowledged.length > 0 && load.asked.length > 0, `${load.acknowledged.length} spans`);
  const verdicts = judge({ ...found, ...load, notBack });
  for (const { claim, breaches } of verdicts) {
    bound(claim, breaches.length === 0, breaches.length === 0 ? "yes" : `${breaches.length} against it`);
    for (const breach of breaches.slice(0, BREACHES_SHOWN)) console.log(`          ${breach.slice(0, 500)}`);
  }
  if (process.exitCode) console.log(`\nWhat the product said:\n${product.output().slice(-6000)}`);
} finally {
  await product.stop();
}
