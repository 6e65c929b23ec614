import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { trainerCommands, trainers, trainingJobs, trainingManifests } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { bodyOfChunks } from "@/server/platform/http/testing";
import { newId } from "@/server/platform/ids";
import { uploadFile } from "@/server/services/files";
import { newAgentKey } from "@/server/services/trainers/agents/agent-key";
import { agentTrainer } from "@/server/services/trainers/agents/agent-trainer";
import { serveTrainer } from "./trainer-endpoint";

let ctx: Ctx;
beforeEach(async () => {
  await db().delete(trainers);
  ({ ctx } = await testProject());
});

async function attach() {
  const { key, ...row } = newAgentKey();
  await db()
    .insert(trainers)
    .values({ ...row, kind: "agent", name: "Box", lastSeenAt: NOW, updatedAt: NOW });
  return { key, id: row.id };
}
type Sent = { key?: string; body?: unknown; headers?: Record<string, string>; method?: string };
const call = async (path: string, { key, body = {}, headers = {}, method = "POST" }: Sent = {}) => {
  const sent = body instanceof Uint8Array ? body : JSON.stringify(body);
  const reply = await serveTrainer(
    new Request(`http://w.test/api/trainer/v1/${path}`, {
      method,
      headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...headers },
      ...(method === "GET" ? {} : { body: sent as BodyInit }),
    }),
  );
  const text = await reply.text();
  return {
    status: reply.status,
    text,
    json: reply.headers.get("content-type")?.includes("json") ? JSON.parse(text) : null,
  };
};

async function createJob(trainerId: string, content = "{}\n", on = ctx) {
  const { projectId } = on;
  const id = newId("job");
  const sha256 = createHash("sha256").update(content).digest("hex");
  const bytes = Buffer.from(content);
  const { file } = await uploadFile(on, { name: "m.jsonl" } as never, { body: bodyOfChunks(bytes) });
  const manifest = { projectId, sha256, fileId: file.id, datasetId: "ds_1", datasetVersion: 1 };
  await db()
    .insert(trainingManifests)
    .values({ ...manifest, split: "train", method: "sft", rows: 1, bytes: bytes.length });
  await db()
    .insert(trainingJobs)
    .values({
      ...{ projectId, id, name: "Test", status: "queued", datasetId: "ds_1", datasetVersion: 1, trainerId },
      ...{ method: "sft", adapter: "lora", spec: {}, baseModelId: "tiny", manifestSha256: sha256 },
      ...{ actorKind: "job", updatedAt: 1 },
    });
  return { id, sha256, projectId };
}
const jobRow = async (id: string) => (await db().select().from(trainingJobs).where(eq(trainingJobs.id, id)))[0];
const event = (seq: number, type: string, data: Record<string, unknown> = {}) => ({
  ...{ seq, attempt: 1, type, data, level: "info", message: "", ts: "2026-01-01T00:00:00.000Z" },
});
const started = { events: [event(1, "job.status", { status: "running" })] };

test("the agent's addresses do not exist without an agent, and refuse every key but an agent's", async () => {
  expect((await call("lease", { key: newAgentKey().key })).status).toBe(404);
  const { key, id } = await attach();
  for (const wrong of [undefined, "x", newAgentKey().key, `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`]) {
    for (const path of ["lease", "commands/cmd_1", "commands/cmd_1/parts", "jobs/job_1/events"]) {
      expect((await call(path, wrong === undefined ? {} : { key: wrong })).status, `${path} ${wrong}`).toBe(401);
    }
  }
  expect((await call("lease", { key, body: { wait_seconds: 0 } })).status).toBe(200);
  for (const path of ["", "lease/x", "jobs/job_1", "trainers", "webhook/job_1"])
    expect((await call(path, { key })).status, path).toBe(404);
  await db().update(trainers).set({ disabledAt: 1 }).where(eq(trainers.id, id));
  await attach();
  expect((await call("lease", { key, body: { wait_seconds: 0 } })).status).toBe(401);
});

test("wrong credentials are limited by network, and never in the way of valid ones", async () => {
  const { key } = await attach();
  const [from, elsewhere] = [{ "x-forwarded-for": "192.0.2.7" }, { "x-forwarded-for": "192.0.2.8" }];
  const statuses = [];
  for (let sent = 0; sent < 301; sent += 1) statuses.push((await call("lease", { headers: from })).status);
  expect([new Set(statuses.slice(0, -1)), statuses.at(-1)]).toEqual([new Set([401]), 429]);
  expect((await call("lease", { headers: elsewhere })).status).toBe(401);
  for (const headers of [from, elsewhere])
    expect((await call("lease", { key, headers, body: { wait_seconds: 0 } })).status).toBe(200);
});

test("an agent sends its capabilities once, and is recorded as seen with each call", async () => {
  const { key, id } = await attach();
  const asked = await call("lease", { key, body: { capabilities_hash: "h1" } });
  expect(asked.json).toEqual({ commands: [], jobs: [], send_capabilities: true });
  const capabilities = { trainer_version: "1.0", boot_id: "b", methods: ["sft"] };
  const jobs = [{ job_id: "job_1", status: "running", last_seq: 3 }];
  await call("lease", { key, body: { capabilities_hash: "h1", capabilities, jobs, wait_seconds: 0 } });
  const [row] = await db().select().from(trainers).where(eq(trainers.id, id));
  expect(row).toMatchObject({ capabilities, capabilitiesHash: "h1", bootId: "b", version: "1.0", jobsRunning: 1 });
  const again = await call("lease", { key, body: { capabilities_hash: "h1", wait_seconds: 0 } });
  expect(again.json.send_capabilities).toBe(false);
});

test("a call reaches the agent through its lease, and its result reaches the caller once", async () => {
  const { key, id } = await attach();
  const client = agentTrainer({ db: db(), trainerId: id, isOnline: true });
  const asking = client.request({ method: "GET", path: "/jobs/job_1", projectId: ctx.projectId });
  const { json, text } = await call("lease", { key, body: { wait_seconds: 5 } });
  expect(json.commands).toMatchObject([{ kind: "request", payload: { method: "GET", path: "/v1/jobs/job_1" } }]);
  expect(text).not.toContain(ctx.projectId);
  const commandId = json.commands[0].command_id;
  const result = { status: 200, headers: {}, body: { status: "running" } };
  const other = await attach();
  expect((await call(`commands/${commandId}`, { key: other.key, body: result })).json).toEqual({ accepted: false });
  expect((await call(`commands/${commandId}`, { key, body: result })).json).toEqual({ accepted: true });
  expect((await call(`commands/${commandId}`, { key, body: { ...result, status: 500 } })).json).toEqual({
    accepted: false,
  });
  expect((await asking).json).toEqual({ status: "running" });
  expect((await call("lease", { key: other.key, body: { wait_seconds: 0 } })).json.commands).toEqual([]);
});

test("an open lease ends when its trainer is removed, and hands out no command after that", async () => {
  const { key, id } = await attach();
  await attach();
  const open = call("lease", { key, body: { capabilities: {}, wait_seconds: 50 } });
  const seen = async () => (await db().select().from(trainers).where(eq(trainers.id, id)))[0]?.capabilities;
  await vi.waitFor(async () => expect(await seen()).toEqual({}), 5_000);
  await db().transaction(async (tx) => {
    await tx.update(trainers).set({ disabledAt: 1 }).where(eq(trainers.id, id));
    await tx
      .insert(trainerCommands)
      .values({ id: "cmd_late", trainerId: id, state: "queued", payload: { path: "/v1/jobs" } });
  });
  expect((await open).status).toBe(401);
  expect(await db().select().from(trainerCommands).where(eq(trainerCommands.id, "cmd_late"))).toMatchObject([
    { state: "queued" },
  ]);
});

test("a command that was lost on its way is handed out again", async () => {
  const { key, id } = await attach();
  const lost = { id: "cmd_1", trainerId: id, state: "sent" as const, payload: { path: "/v1/jobs" } };
  await db()
    .insert(trainerCommands)
    .values({ ...lost, sentAt: NOW });
  expect((await call("lease", { key, body: { wait_seconds: 0 } })).json.commands).toEqual([]);
  await db().update(trainerCommands).set({ sentAt: 1 });
  expect((await call("lease", { key, body: { wait_seconds: 0 } })).json.commands).toHaveLength(1);
});

test("an agent reports only on its own jobs, in compressed batches, and fetches only their manifests", async () => {
  const [own, other] = [await attach(), await attach()];
  const job = await createJob(own.id, '{"example_id":"ex_1"}\n');
  const body = gzipSync(JSON.stringify({ ...started, job_id: job.id }));
  const headers = { "content-encoding": "gzip" };
  expect((await call(`jobs/${job.id}/events`, { key: other.key, body, headers })).status).toBe(404);
  expect((await call(`jobs/${job.id}/events`, { key: own.key, body, headers })).json).toEqual({
    last_seq: 1,
    acknowledged_seq: 1,
  });
  expect(await jobRow(job.id)).toMatchObject({ status: "running", lastSeq: 1 });
  const jobs = [{ job_id: job.id, status: "queued", last_seq: 9 }];
  const leased = await call("lease", { key: own.key, body: { jobs, wait_seconds: 0 } });
  expect(leased.json.jobs).toEqual([{ job_id: job.id, last_seq: 1 }]);
  expect((await call("lease", { key: other.key, body: { jobs, wait_seconds: 0 } })).json.jobs).toEqual([]);
  const manifest = { method: "GET", key: own.key };
  expect((await call(`manifests/${job.sha256}`, manifest)).text).toBe('{"example_id":"ex_1"}\n');
  expect((await call(`manifests/${job.sha256}`, { ...manifest, key: other.key })).status).toBe(404);
});

test("too large a body and invalid JSON are refused", async () => {
  const { key, id } = await attach();
  const job = await createJob(id);
  expect((await call("lease", { key, body: Buffer.alloc(2 * 1024 * 1024, " ") })).status).toBe(413);
  expect((await call("lease", { key, body: Buffer.from("{") })).status).toBe(400);
  const deep = Buffer.from(`{"wait_seconds": 0, "capabilities": ${'{"a":'.repeat(100_000)}1${"}".repeat(100_001)}`);
  expect((await call("lease", { key, body: deep })).status).toBe(400);
  const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, " "));
  const headers = { "content-encoding": "gzip" };
  expect((await call(`jobs/${job.id}/events`, { key, body: bomb, headers })).status).toBe(413);
  expect((await call("commands/cmd_1", { key, body: { status: "200" } })).status).toBe(400);
});
