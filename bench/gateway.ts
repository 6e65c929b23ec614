import { loadavg } from "node:os";
import { drizzle } from "drizzle-orm/postgres-js";
import { Agent } from "undici";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { storedDeployment } from "@/server/services/serving/deployments/testing/stored-deployment";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import * as schema from "../db/schema";
import type { Ctx, ProjectId } from "../server/platform/context";
import { newProject, type TestProject } from "../testbed/data/project";
import { startProduct } from "../testbed/product/product";
import { attachServer } from "../testbed/servers/attach-trainer";
import { OPENAI_KEY, OpenAiServer } from "../testbed/servers/openai-server";
import { databaseOf } from "./lib/database";
import { boundIdle, idle } from "./lib/idle";
import { bound, machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench -- gateway`: compares a call through the gateway of the built product with one made directly to the
 * model's server: a deployment's, and the endpoint of a connection. The two take turns in one run, so that other work on the
 * machine affects both. Also measures a commit of one row to the same database: the least that storing a call costs. Afterwards
 * the idle product must use what it used before.
 */
const OVERHEAD_MS = 5;
const WARM_UP = 500;
const CALLS = 1000;
const STREAMS = 500;

const KINDS = [
  { label: "whole answer", stream: false, characters: 10 },
  { label: "streamed answer", stream: true, characters: 10 },
  { label: "whole answer to 30,000 characters", stream: false, characters: 30_000 },
];

console.log(`${machine()}, load average ${loadavg()[0]?.toFixed(1)} before the product starts`);
const trainer = await new ScriptedTrainer().start();
const endpoint = await new OpenAiServer().start();
const product = await startProduct({ env: { OUTBOUND_ALLOW: "127.0.0.1" } });
const client = new Agent({ keepAliveTimeout: 60_000 });
const sql = databaseOf(product.dataDir);

try {
  const project = await newProject(product.url, product.dataDir);
  const deploymentId = await deployed(project.projectId as ProjectId);
  const deployment = {
    direct: {
      model: "shop-agent",
      url: `${trainer.address.url}/v1/deployments/${deploymentId}/v1/chat/completions`,
      token: trainer.address.token,
    },
    gateway: {
      model: "shop-agent",
      url: `${product.url}/v1/projects/${project.projectId}/deployments/${deploymentId}/v1/chat/completions`,
      token: await project.newKey("telemetry:write", "workspace:read"),
    },
  };
  await connect(project);
  const connection = {
    direct: { model: "gpt-4o", url: `${endpoint.url}/chat/completions`, token: OPENAI_KEY },
    gateway: {
      model: "Bench/gpt-4o",
      url: `${product.url}/v1/chat/completions`,
      token: await project.newKey("telemetry:write", "gateway:use"),
    },
  };
  await sql`create table bench_commit (id bigserial primary key, body text)`;
  // Once each beforehand, so that what is loaded and kept for a first call counts as the product's own.
  for (const kind of KINDS) for (const { gateway } of [connection, deployment]) await call(gateway, kind);
  const before = await idle(product.pid, sql);
  for (const kind of KINDS) await measure("a connection's model", connection, kind);
  await measureMany(connection);
  for (const kind of KINDS) await measure("a deployment", deployment, kind);
  console.log(`load average ${loadavg()[0]?.toFixed(1)} at the end`);
  await client.close();
  boundIdle(before, await idle(product.pid, sql));
} finally {
  await sql.end();
  await client.destroy();
  await endpoint.stop();
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

/** Connects the project to the endpoint. */
async function connect({ url, projectId, newKey }: TestProject) {
  const reply = await fetch(`${url}/v1/projects/${projectId}/connections`, {
    method: "POST",
    headers: { authorization: `Bearer ${await newKey("connections:manage")}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "model", name: "Bench", baseUrl: endpoint.url, secret: OPENAI_KEY }),
  });
  if (!reply.ok) throw new Error(await reply.text());
}

type Place = { model: string; url: string; token: string };
type Kind = (typeof KINDS)[number];
type Times = { first: number; end: number };

async function call({ model, url, token }: Place, { stream, characters }: Kind): Promise<Times> {
  const begun = performance.now();
  const { origin, pathname } = new URL(url);
  const { statusCode, body } = await client.request({
    origin,
    path: pathname,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      model,
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

type Places = { direct: Place; gateway: Place };

/** Opens many streams within a second, each of a word every 100 ms, directly and then through the gateway. */
async function measureMany({ direct, gateway }: Places) {
  endpoint.words = Array.from({ length: 20 }, (_, n) => `${n} `);
  endpoint.delayMs = 100;
  for (const [name, place] of Object.entries({ direct, gateway })) {
    const streams = Array.from({ length: STREAMS }, async (_, n) => {
      await new Promise((begin) => setTimeout(begin, (n * 1000) / STREAMS));
      return (await call(place, { label: "", stream: true, characters: 10 })).first;
    });
    const firsts = await Promise.all(streams);
    const [middle, most] = [0.5, 0.95].map((p) => percentile(firsts, p).toFixed(0));
    console.log(
      `        ${STREAMS} streams in a second, ${name}: first piece after ${middle} and ${most} ms at p50 and p95`,
    );
  }
  endpoint.reset();
}

async function measure(callee: string, { direct, gateway }: Places, kind: Kind) {
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
      kind.stream
        ? `${callee}: ${kind.label}, its ${what === "first" ? "first piece" : "end"}`
        : `${callee}: ${kind.label}`,
      most <= OVERHEAD_MS,
      figure,
    );
  }
  console.log(`        a commit of one row meanwhile: ${at(times.commit).map(ms).join(" and ")} at p50 and p95`);
}
