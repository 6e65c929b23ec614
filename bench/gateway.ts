/**
 * What a model's call through the gateway costs beside one that goes to its trainer directly, over HTTP and in turns in one run:
 * `npm run bench:gateway`, in a temporary database. Exits with 1 when the bound is missed.
 *
 * - a whole answer: authenticated, sent on and recorded as telemetry, at most 5 ms more at p95
 * - a streamed one: its first piece and its end
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { db as pool } from "@/db/pool";
import { projects, trainers } from "@/db/schema";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { issueApiKey } from "@/server/services/api-keys";
import { storedDeployment } from "@/server/services/fine-tuning/deployments/testing/stored-deployment";
import { ScriptedTrainer } from "@/server/services/fine-tuning/testing/scripted-trainer";
import { storedCheckpoint } from "@/server/services/fine-tuning/testing/stored-checkpoint";
import { storedJob } from "@/server/services/fine-tuning/testing/stored-job";

const OVERHEAD_MS = 5;
const WARM_UP = 200;
const CALLS = 1000;

const trainer = await new ScriptedTrainer().start();
Object.assign(process.env, trainer.env);
const db = pool();
const projectId = newId("prj") as ProjectId;
const ctx: Ctx = { db, projectId, actor: { kind: "operator" } };
await db.insert(projects).values({ id: projectId, name: "Benchmark" });
const trainerId = newId("trn");
const name = new URL(trainer.env.TRAINER_URL).host;
await db.insert(trainers).values({ id: trainerId, kind: "url", name, updatedAt: Date.now() });
const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, { trainerId }));
const deploymentId = await storedDeployment(ctx, checkpointId, { trainerId });
trainer.deployments.served.set(deploymentId, {
  spec: { served_model_name: "shop-agent" },
  hash: "",
  status: "running",
  ahead: [],
  restarts: 0,
  error: null,
  calls: 0,
});
const { secret } = await issueApiKey(db, {
  projectId,
  name: "benchmark",
  capabilities: ["telemetry:write", "workspace:read"],
  expiresAt: null,
  createdBy: null,
});

const dispatch = createDispatcher(OPERATIONS);
const server = createServer(async (request, response) => {
  const body = Readable.toWeb(request) as ReadableStream;
  const headers = new Headers(request.headers as Record<string, string>);
  const asked = { method: request.method ?? "POST", headers, body, duplex: "half" };
  const reply = await dispatch(new Request(`http://benchmark${request.url}`, asked as RequestInit));
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  if (reply.body) Readable.fromWeb(reply.body as never).pipe(response);
  else response.end();
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

const { port } = server.address() as AddressInfo;
const PLACES = {
  direct: {
    url: `${trainer.env.TRAINER_URL}v1/deployments/${deploymentId}/v1/chat/completions`,
    token: trainer.env.TRAINER_TOKEN,
  },
  gateway: {
    url: `http://127.0.0.1:${port}/v1/projects/${projectId}/deployments/${deploymentId}/v1/chat/completions`,
    token: secret,
  },
};
type Place = keyof typeof PLACES;

async function call(place: Place, stream: boolean): Promise<{ first: number; whole: number }> {
  const { url, token } = PLACES[place];
  const begun = performance.now();
  const reply = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "shop-agent", stream, messages: [{ role: "user", content: "Say hello" }] }),
  });
  if (reply.status !== 200 || !reply.body)
    throw new Error(`${place} replied with ${reply.status}: ${await reply.text()}`);
  let first: number | undefined;
  for await (const _ of reply.body as unknown as AsyncIterable<Uint8Array>) first ??= performance.now() - begun;
  return { first: first ?? Number.NaN, whole: performance.now() - begun };
}

const at = (values: readonly number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] as number;
const ms = (value: number) => `${value.toFixed(2)} ms`;

let missed = 0;
for (const stream of [false, true]) {
  const times = { direct: { first: [], whole: [] }, gateway: { first: [], whole: [] } } as Record<
    Place,
    { first: number[]; whole: number[] }
  >;
  for (let n = 0; n < WARM_UP + CALLS; n += 1) {
    // In turns, so that what else the machine does falls on both.
    for (const place of ["direct", "gateway"] as const) {
      const { first, whole } = await call(place, stream);
      if (n < WARM_UP) continue;
      times[place].first.push(first);
      times[place].whole.push(whole);
    }
  }
  for (const what of stream ? (["first", "whole"] as const) : (["whole"] as const)) {
    const [direct, gateway] = [times.direct[what], times.gateway[what]];
    const overhead = at(gateway, 0.95) - at(direct, 0.95);
    const isMissed = what === "whole" && !stream && overhead > OVERHEAD_MS;
    if (isMissed) missed += 1;
    const label = stream ? (what === "first" ? "streamed, first piece" : "streamed, end") : "whole answer";
    const values = `p50 ${ms(at(direct, 0.5))} → ${ms(at(gateway, 0.5))}, p95 ${ms(at(direct, 0.95))} → ${ms(at(gateway, 0.95))}`;
    console.log(`${isMissed ? "MISSED" : "ok    "} ${label}: ${values}; overhead at p95 ${ms(overhead)}`);
  }
}
server.closeAllConnections();
server.close();
await trainer.stop();
process.exit(missed > 0 ? 1 : 0);
