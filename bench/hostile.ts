import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Agent, setGlobalDispatcher } from "undici";
import { startGithub } from "@/testbed/trackers/github-server";
import { newProject } from "../testbed/data/project";
import { webProcessOf } from "../testbed/product/process-tree";
import { startProduct as start } from "../testbed/product/product";
import { attackerOf } from "./hostile/attacker";
import { askEveryRoute, FAMILIES } from "./hostile/families";
import { KINDS } from "./hostile/kinds";
import { databaseOf } from "./lib/database";
import { boundIdle, idle } from "./lib/idle";
import { bound, machine, percentile } from "./lib/machine";
import { memoryOf } from "./lib/memory";

/**
 * Run by `npm run bench -- hostile`: sends requests that cost more than they bring, one kind after the other, while a
 * neighbour reads a page of its own project. Afterwards the idle product must use what it used before. `--kind` runs those
 * whose name contains it.
 */
const NEIGHBOUR_MS = 500;
const READ_EVERY_MS = 200;
/** A request that gets no reply for this long counts as one that hangs. */
const REPLY_MS = 60_000;

const { values } = parseArgs({ options: { kind: { type: "string", default: "" } } });
const kinds = [...KINDS, ...FAMILIES].filter(({ name }) => name.includes(values.kind));

// Connections that our own client keeps for later requests are none that the product has left open.
setGlobalDispatcher(new Agent({ keepAliveMaxTimeout: 1_000 }));

console.log(machine());
const product = await start({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1", OUTBOUND_ALLOW: "127.0.0.1" } });
const sql = databaseOf(product.dataDir);
const github = await startGithub();

/** A restart would change it. */
const webOf = () => webProcessOf(product.pid);
const web = webOf()!;

/** Reads a page of a project of its own several times a second until it is stopped; returns how long each reply took, in ms. */
async function startNeighbour() {
  const project = await newProject(product.url, product.dataDir);
  const took: number[] = [];
  const failures: string[] = [];
  let going = true;
  const read = async () => {
    const begun = performance.now();
    const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/conversations`, {
      headers: { authorization: `Bearer ${project.secret}` },
      signal: AbortSignal.timeout(REPLY_MS),
    }).catch((error: Error) => error);
    if (reply instanceof Error) failures.push(reply.message);
    else {
      await reply.arrayBuffer();
      if (!reply.ok) failures.push(String(reply.status));
    }
    took.push(performance.now() - begun);
  };
  // Whether or not the last one was answered: a stall delays as many reads as people would have made.
  const reading = (async () => {
    const open: Promise<void>[] = [];
    for (; going; await sleep(READ_EVERY_MS)) open.push(read());
    await Promise.all(open);
  })();
  return {
    take: () => took.splice(0),
    failures,
    stop() {
      going = false;
      return reading;
    },
  };
}

try {
  const hostile = await attackerOf(product, github);
  await askEveryRoute(hostile);
  const neighbour = await startNeighbour();
  await sleep(3_000);
  await neighbour.stop();
  const before = await idle(product.pid, sql);
  const beside = await startNeighbour();
  const all: number[] = [];
  for (const { name, send } of kinds) {
    beside.take();
    const begun = performance.now();
    const statuses = await send(hostile).catch((error: Error) => [error.message]);
    await sleep(READ_EVERY_MS);
    const took = beside.take();
    all.push(...took);
    const seen = [...new Set(statuses)].join(" ");
    const slowest = took.length > 0 ? `at most ${Math.round(Math.max(...took))} ms` : "no reply yet";
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(
      `${name.padEnd(68)} ${seconds.padStart(5)} s  ${Math.round(memoryOf(web).own)} MiB  neighbour ${slowest}  ${seen.slice(0, 80)}`,
    );
  }
  await beside.stop();
  const after = await idle(product.pid, sql);
  bound(
    "the neighbour's p99",
    percentile(all, 0.99) <= NEIGHBOUR_MS,
    `${Math.round(percentile(all, 0.99))} ms of ${all.length} reads, at most ${NEIGHBOUR_MS}`,
  );
  bound("the neighbour's requests that failed", beside.failures.length === 0, beside.failures[0] ?? "none");
  bound("the web process is the same", webOf() === web, "not restarted");
  boundIdle(before, after);
} finally {
  await sql.end({ timeout: 5 });
  await github.stop();
  await product.stop();
}
