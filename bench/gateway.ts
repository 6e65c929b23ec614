import { loadavg } from "node:os";
import { drizzle } from "drizzle-orm/postgres-js";
import { Agent } from "undici";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { storedDeployment } from "@/server/services/serving/deployments/testing/stored-deployment";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import * as schema from "../db/schema";
import type { Ctx, ProjectId } from "../server/platform/context";
import { newProject } from "../testbed/data/project";
import { startProduct } from "../testbed/product/product";
import { attachServer } from "../testbed/servers/attach-trainer";
import { databaseOf } from "./lib/database";
import { bound, machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench -- gateway`: compares a call through the gateway of the built product with one made directly to the
 * model's server. The two take turns in one run, so that other work on the machine affects both. Also measures a commit of one
 * row to the same database: the least that storing anything before the answer ends would cost.
 */
const OVERHEAD_MS = 5;
const WARM_UP = 500;
const CALLS = 1000;

const KINDS = [
  { label: "whole answer", stream: false, characters: 10 },
  { label: "streamed answer", stream: true, characters: 10 },
  { label: "whole answer to 30,000 characters", stream: false, characters: 30_000 },
];

console.log(`${machine()}, load average ${loadavg()[0]?.toFixed(1)} before the product starts`);
const trainer = await new ScriptedTrainer().start();
const product = await startProduct();
const client = new Agent({ keepAliveTimeout: 60_000 });
const sql = databaseOf(product.dataDir);

try {
  const project = await newProject(product.url, product.dataDir);
  const deploymentId = await deployed(project.projectId as ProjectId);
  const places = {
    direct: {
      url: `${trainer.address.url}/v1/deployments/${deploymentId}/v1/chat/completions`,
      token: trainer.address.token,
    },
    gateway: {
      url: `${product.url}/v1/projects/${project.projectId}/deployments/${deploymentId}/v1/chat/completions`,
      token: await project.newKey("telemetry:write", "workspace:read"),
    },
  };
  await sql`create table bench_commit (id bigserial primary key, body text)`;
  for (const kind of KINDS) await measure(places, kind);
  console.log(`load average ${loadavg()[0]?.toFixed(1)} at the end`);
} finally {
  await sql.end();
  await client.close();
  await product.stop();
  await trainer.stop();
}

/** Stores a deployment that runs on the trainer, and returns its id. */
async function deployed(projectId: ProjectId): Promise<string> {
  const ctx: Ctx = { db: drizzle(sql, { schema }), projectId, actor: { kind: "operator" } };
  const { trainerId, detach } = await attachServer(product, trainer.address);
  trainer.detach = detach;
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, { trainerId }));
  const id = await storedDeployment(ctx, checkpointId, { trainerId });
  const spec = { served_model_name: "shop-agent" };
  const state = { hash: "", status: "running", ahead: [], restarts: 0, error: null, calls: 0 };
  trainer.deployments.served.set(id, { spec, ...state });
  return id;
}

type Place = { url: string; token: string };
type Kind = (typeof KINDS)[number];
type Times = { first: number; end: number };

async function call({ url, token }: Place, { stream, characters }: Kind): Promise<Times> {
  const begun = performance.now();
  const { origin, pathname } = new URL(url);
  const { statusCode, body } = await client.request({
    origin,
    path: pathname,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "shop-agent",
      stream,
      messages: [{ role: "user", content: "Say hello ".repeat(characters / 10) }],
    }),
  });
  let first = Number.NaN;
  for await (const _ of body) if (Number.isNaN(first)) first = performance.now() - begun;
  if (statusCode !== 200) throw new Error(`${url} replied with ${statusCode}.`);
  return { first, end: performance.now() - begun };
}

async function commit(): Promise<number> {
  const begun = performance.now();
  await sql`insert into bench_commit (body) values (${"x".repeat(500)})`;
  return performance.now() - begun;
}

async function measure({ direct, gateway }: { direct: Place; gateway: Place }, kind: Kind) {
  const times: { direct: Times[]; gateway: Times[]; commit: number[] } = { direct: [], gateway: [], commit: [] };
  for (let n = 0; n < WARM_UP + CALLS; n += 1) {
    const turn = { direct: await call(direct, kind), gateway: await call(gateway, kind), commit: await commit() };
    if (n < WARM_UP) continue;
    times.direct.push(turn.direct);
    times.gateway.push(turn.gateway);
    times.commit.push(turn.commit);
  }
  const at = (values: readonly number[]) => [0.5, 0.95].map((p) => percentile(values, p)) as [number, number];
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  for (const what of kind.stream ? (["first", "end"] as const) : (["end"] as const)) {
    const [before, after] = [at(times.direct.map((one) => one[what])), at(times.gateway.map((one) => one[what]))];
    const [middle, most] = [after[0] - before[0], after[1] - before[1]];
    const figure = `+ ${ms(most)} at p95 (${ms(before[1])} → ${ms(after[1])}), + ${ms(middle)} at p50 (${ms(before[0])} → ${ms(after[0])})`;
    bound(
      kind.stream ? `${kind.label}, its ${what === "first" ? "first piece" : "end"}` : kind.label,
      most <= OVERHEAD_MS,
      figure,
    );
  }
  console.log(`        a commit of one row meanwhile: ${at(times.commit).map(ms).join(" and ")} at p50 and p95`);
}
