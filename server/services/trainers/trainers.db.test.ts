import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { eq } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { trainerCommands, trainers } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { unfinishedWork } from "@/server/platform/event-loop/unfinished-work";
import { downloadCheckpointFile } from "@/server/services/models/checkpoints/download-checkpoint-file";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { attachScripted, storeTrainer } from "@/testbed/trainers/attach-trainer";
import {
  addTrainer,
  authenticateAgent,
  chooseTrainer,
  leaseCommands,
  leaseInput,
  listTrainers,
  openTrainer,
  requireTrainer,
  TrainerRefused,
  TrainerUnreachable,
  takePart,
  takeResult,
} from ".";
import { agentTrainer } from "./agents/agent-trainer";

const CAPABILITIES = {
  trainer_version: "1.2.3",
  boot_id: "boot-1",
  methods: ["sft", "dpo"],
  adapters: ["lora", "qlora"],
  formats: ["safetensors"],
  gguf_quantizations: [],
  compressed_quantizations: ["int8"],
  devices: [{ id: "cpu", name: "Two cores", kind: "cpu", memory_total: 8_000, memory_free: null }],
  packages: { torch: "2.13.0" },
  disk_free: 1000,
  unavailable: [
    { feature: "qlora", reason: "bitsandbytes is not installed.", hint: "Install the extra qlora." },
    { feature: "gguf", reason: "The converter is missing.", hint: null },
  ],
};

type Reply = (request: IncomingMessage, response: ServerResponse) => void;
let replies: Record<string, Reply> = {};
const server = createServer((request, response) => {
  const reply = replies[`${request.method} ${request.url}`];
  if (reply) return reply(request, response);
  response.writeHead(404, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code: "not_found", message: "No." } }));
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const box = {
  address: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "token-of-the-box" },
  features: [],
  detach: () => {},
};
afterAll(() => {
  box.detach();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  replies = {};
});

async function world(capabilities: Record<string, unknown> | null = CAPABILITIES) {
  const { ctx } = await testProject();
  const trainerId = await storeTrainer({ capabilities, lastSeenAt: Date.now() });
  return { ctx, trainerId, client: agentTrainer({ db: db(), trainerId, isOnline: true }) };
}

test("a job goes to a trainer that supports all of it, and is otherwise refused with reasons and remedies", async () => {
  const { ctx, trainerId } = await world();
  expect(await chooseTrainer(ctx, { method: "sft", adapter: "lora", formats: ["safetensors"] })).toBe(trainerId);
  const refused = chooseTrainer(ctx, { method: "kto", adapter: "qlora", formats: ["safetensors", "gguf"] });
  await expect(refused).rejects.toMatchObject({
    code: "unprocessable",
    errors: [
      { path: "/method", message: expect.stringContaining("does not support kto") },
      { path: "/adapter", message: expect.stringMatching(/bitsandbytes is not installed\. Install the extra qlora/) },
      { path: "/output/formats", message: expect.stringContaining("The converter is missing.") },
    ],
  });
  // An agent that supports it and is online takes precedence over one that is not.
  await db()
    .insert(trainers)
    .values({
      id: "trn_agent",
      kind: "agent",
      name: "Box",
      keyHash: "h",
      keyHint: "hint",
      capabilities: { ...CAPABILITIES, unavailable: [], methods: ["kto"] },
      lastSeenAt: NOW,
      updatedAt: NOW,
    });
  expect(await chooseTrainer(ctx, { method: "kto", adapter: "qlora" })).toBe("trn_agent");
  await expect(chooseTrainer(ctx, { method: "kto", trainerId })).rejects.toThrow(/does not support kto/);
});

test.each([
  [0, "Update the trainer"],
  [1, "Update the trainer"],
  [3, "Update Whetstone"],
])("a trainer with contract version %i gets no job, and the error names the remedy", async (spec_version, remedy) => {
  const { ctx } = await world({ ...CAPABILITIES, spec_version });
  await expect(chooseTrainer(ctx, { method: "sft", adapter: "lora" })).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringContaining(remedy),
  });
  const [shown] = (await listTrainers(ctx, {})).trainers;
  expect(shown).toMatchObject({ online: true, supports: { methods: [] }, unavailable: [{ feature: "training" }] });
});

test("a trainer that never reported its capabilities gets no job", async () => {
  const { ctx } = await world(null);
  await expect(chooseTrainer(ctx, { method: "sft" })).rejects.toMatchObject({ code: "unavailable" });
});

test("a trainer that an earlier release called keeps its work, and says what to do", async () => {
  const { ctx } = await testProject();
  const trainerId = await storeTrainer({ kind: "url", keyHash: null, keyHint: null, capabilities: CAPABILITIES });
  const open = async () => (await openTrainer(db(), trainerId)).trainerId;
  const refused = { code: "not_implemented", message: expect.stringContaining("It keeps its jobs") };
  await expect(requireTrainer(ctx)).rejects.toMatchObject(refused);
  await expect(open()).rejects.toThrow(/npx whetstone trainer/);
  expect((await listTrainers(ctx, {})).trainers).toMatchObject([{ id: trainerId, kind: "url", online: false }]);
  const { key, trainer } = await addTrainer({ db: db(), operator: true }, { name: "Box", trainerId });
  expect(trainer).toMatchObject({ id: trainerId, kind: "agent", error: null });
  expect(await authenticateAgent(db(), `Bearer ${key}`)).toMatchObject({ id: trainerId });
  await expect(open()).resolves.toBe(trainerId);
  await expect(requireTrainer(ctx)).resolves.toBeUndefined();
});

/** Plays the agent: gives each queued command a result. */
async function answering(reply: (payload: Record<string, unknown>) => Record<string, unknown>, times: number) {
  for (let done = 0; done < times; ) {
    const [next] = await db().select().from(trainerCommands).where(eq(trainerCommands.state, "queued"));
    if (!next) await new Promise((resolve) => setTimeout(resolve, 20));
    else {
      const result = reply(next.payload);
      await db()
        .update(trainerCommands)
        .set({ state: "done", result, doneAt: 1 })
        .where(eq(trainerCommands.id, next.id));
      done += 1;
    }
  }
}

test("an agent's reply belongs to its command", async () => {
  const { ctx, client } = await world();
  const asking = client.request({ method: "PUT", path: "/jobs/job_1", json: { a: 1 }, projectId: ctx.projectId });
  await answering((payload) => {
    expect(payload).toMatchObject({ method: "PUT", path: "/v1/jobs/job_1", text: '{"a":1}' });
    return { status: 202, headers: { ETag: "x" }, body: { status: "queued" } };
  }, 1);
  expect(await asking).toEqual({ status: 202, headers: { etag: "x" }, json: { status: "queued" } });
});

test("a trainer's error is passed on, and a proxy's reply counts as an unreachable trainer", async () => {
  const { ctx, client } = await world();
  const ask = async (result: Record<string, unknown>) => {
    const asking = client.request({ method: "GET", path: "/jobs/job_1", projectId: ctx.projectId });
    const [reply] = await Promise.allSettled([asking, answering(() => ({ headers: {}, ...result }), 1)]);
    return reply.status === "rejected" ? reply.reason : reply.value;
  };
  const error = { code: "in_use", message: "It is used.", hint: "Wait.", log_tail: ["a"] };
  expect(await ask({ status: 409, body: { error } })).toMatchObject({
    name: "TrainerRefused",
    status: 409,
    problem: { code: "in_use", hint: "Wait.", logTail: ["a"], retryable: false },
  });
  expect(await ask({ status: 503, body: "<html>" })).toBeInstanceOf(TrainerUnreachable);
  expect(await ask({ status: 404, body: null })).toBeInstanceOf(TrainerRefused);
});

const QUESTION = { method: "POST" as const, path: "/ask", json: { stream: true } };

/** Hands the queued command out, and returns its id. */
async function handedOut(trainerId: string) {
  const agent = { id: trainerId, capabilitiesHash: null };
  const lease = leaseInput.parse({ capabilities: CAPABILITIES, wait_seconds: 50 });
  const { commands } = await leaseCommands(db(), agent, lease, new AbortController().signal);
  return { agent, commandId: commands[0]!.command_id };
}

test("a streamed answer arrives in parts, each once, and leaves no text behind", async () => {
  const { ctx, client, trainerId } = await world();
  const asking = client.stream({ ...QUESTION, projectId: ctx.projectId });
  const { agent, commandId } = await handedOut(trainerId);
  const send = (seq: number, text: string) => takePart(db(), agent, commandId, { seq, text });
  await send(1, "one ");
  const parts = (await asking).body[Symbol.asyncIterator]();
  const next = async () => Buffer.from((await parts.next()).value ?? []).toString();
  expect(await next()).toBe("one ");
  // The reply to the first part was lost, so that it is sent again.
  await send(1, "one ");
  await send(2, "two");
  expect(await next()).toBe("two");
  await takeResult(db(), agent, commandId, { status: 200, headers: {}, body: null });
  expect(await parts.next()).toMatchObject({ done: true });
  await unfinishedWork();
  expect(await db().select().from(trainerCommands)).toEqual([]);
  await expect(send(3, "three")).rejects.toMatchObject({ code: "not_found" });
});

test("an answer that breaks off is an error, and no other trainer may add to it", async () => {
  const { ctx, client, trainerId } = await world();
  const asking = client.stream({ ...QUESTION, projectId: ctx.projectId });
  const { agent, commandId } = await handedOut(trainerId);
  const stranger = { id: "trn_other", capabilitiesHash: null };
  await expect(takePart(db(), stranger, commandId, { seq: 1, text: "x" })).rejects.toMatchObject({ code: "not_found" });
  await takePart(db(), agent, commandId, { seq: 1, text: "one " });
  const reading = buffer((await asking).body);
  const error = { code: "deploy_unhealthy", message: "The process ended." };
  await takeResult(db(), agent, commandId, { status: 502, headers: {}, body: { error } });
  await expect(reading).rejects.toThrow("The process ended.");
});

test("an agent that went silent during its answer is unreachable, and the answer is not handed out again", async () => {
  const { ctx, client, trainerId } = await world();
  const asking = client.stream({ ...QUESTION, projectId: ctx.projectId });
  const { agent, commandId } = await handedOut(trainerId);
  await takePart(db(), agent, commandId, { seq: 1, text: "one " });
  const reading = buffer((await asking).body);
  await db().update(trainerCommands).set({ sentAt: 1 });
  await expect(reading).rejects.toThrow(/went silent/);
  expect(await db().select().from(trainerCommands)).toEqual([]);
});

test("an older agent's answer arrives as a whole, and a refusal is the trainer's own", async () => {
  const { ctx, client } = await world();
  const ask = () => client.stream({ ...QUESTION, projectId: ctx.projectId });
  const whole = ask();
  const headers = { "Content-Type": "text/event-stream" };
  await answering(() => ({ status: 200, headers, body: Buffer.from("data: é").toString("base64") }), 1);
  expect((await buffer((await whole).body)).toString()).toBe("data: é");
  const error = { code: "wrong_state", message: "It is stopping." };
  const refused = expect(ask()).rejects.toMatchObject({ status: 409, problem: error });
  await answering(() => ({ status: 409, headers: {}, body: { error } }), 1);
  await refused;
  await unfinishedWork();
  expect(await db().select().from(trainerCommands)).toEqual([]);
});

test("an answer that is no longer awaited is not handed out to an agent again", async () => {
  const { ctx, client } = await world();
  const given = { method: "POST" as const, path: "/ask", json: { messages: [] }, projectId: ctx.projectId };
  const isHandedOut = async () => {
    const rows = await db().update(trainerCommands).set({ state: "sent", sentAt: 1 }).returning();
    return rows.length;
  };
  const leaving = new AbortController();
  const left = expect(client.stream({ ...given, signal: leaving.signal })).rejects.toThrow("abort");
  await expect.poll(isHandedOut).toBe(1);
  leaving.abort();
  await left;
  expect(await db().select().from(trainerCommands)).toEqual([]);
  const late = expect(client.stream({ ...given, timeoutMs: 300 })).rejects.toBeInstanceOf(TrainerUnreachable);
  await expect.poll(isHandedOut, { interval: 20 }).toBe(1);
  await late;
  expect(await db().select().from(trainerCommands)).toEqual([]);
});

test("an agent's file is read in ranges, whole and in part", async () => {
  const { ctx, client } = await world();
  const content = Buffer.from("0123456789");
  const serve = ({ headers }: Record<string, unknown>) => {
    const [, from = 0, to = 0] = (/bytes=(\d+)-(\d+)/.exec((headers as { range: string }).range) ?? []).map(Number);
    const part = content.subarray(from, Math.min(to + 1, from + 4));
    return {
      status: 206,
      headers: { "Content-Range": `bytes ${from}-${from + part.length - 1}/${content.length}` },
      body: part.toString("base64"),
    };
  };
  const readAll = async (range?: string) => {
    const headers = range === undefined ? {} : { range };
    const {
      status,
      headers: got,
      body,
    } = await client.download({ method: "GET", path: "/f", headers, projectId: ctx.projectId });
    const parts: Uint8Array[] = [];
    for await (const part of body) parts.push(part);
    return [status, got["content-length"], Buffer.concat(parts).toString()];
  };
  const [whole] = await Promise.all([readAll(), answering(serve, 3)]);
  expect(whole).toEqual([200, "10", "0123456789"]);
  const [part] = await Promise.all([readAll("bytes=2-7"), answering(serve, 2)]);
  expect(part).toEqual([206, "6", "234567"]);
  expect(await db().select().from(trainerCommands)).toEqual([]);
});

test("a command that an agent never fetched is withdrawn, and an offline agent is not called", async () => {
  const { ctx, client, trainerId } = await world();
  const late = client.request({ method: "GET", path: "/jobs", timeoutMs: 150, projectId: ctx.projectId });
  await expect(late).rejects.toBeInstanceOf(TrainerUnreachable);
  expect(await db().select().from(trainerCommands)).toEqual([]);
  const silent = agentTrainer({ db: db(), trainerId, isOnline: false });
  await expect(silent.request({ method: "GET", path: "/jobs", projectId: ctx.projectId })).rejects.toThrow(
    /not connected/,
  );
});

test("a checkpoint's files are downloaded from its trainer, whole and in part, but not those for resuming", async () => {
  const { ctx } = await testProject();
  const trainerId = await attachScripted(box);
  const files = ["model/a b.safetensors", "state/optimizer.pt"].map((path) => ({
    path,
    size: 10,
    sha256: "c".repeat(64),
  }));
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, { trainerId }), { files });
  const path = "model/a b.safetensors";
  replies[`GET /v1/checkpoints/${checkpointId}/files/model/a%20b.safetensors`] = ({ headers }, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    const part = "0123456789".slice(Number(from), Number(to) + 1);
    response.writeHead(206, { "content-range": `bytes ${from}-${Number(from) + part.length - 1}/10` }).end(part);
  };
  const read = async (range?: string) => {
    const { body, status, headers } = await downloadCheckpointFile(ctx, { checkpointId, path }, { range });
    return [status, headers?.["content-range"], (await buffer(body as AsyncIterable<Uint8Array>)).toString()];
  };
  expect(await read()).toEqual([undefined, undefined, "0123456789"]);
  expect(await read("bytes=3-5")).toEqual([206, "bytes 3-5/10", "345"]);
  expect(await read("bytes=-2")).toEqual([206, "bytes 8-9/10", "89"]);
  await expect(read("bytes=10-")).rejects.toMatchObject({ code: "range_not_satisfiable" });
  for (const other of ["state/optimizer.pt", "../../spec.json", "model/none"]) {
    const asked = downloadCheckpointFile(ctx, { checkpointId, path: other });
    await expect(asked, other).rejects.toMatchObject({ code: "not_found" });
  }
  const elsewhere = (await testProject()).ctx;
  await expect(downloadCheckpointFile(elsewhere, { checkpointId, path })).rejects.toMatchObject({ code: "not_found" });
  replies = {};
  await expect(read()).rejects.toMatchObject({ code: "not_found", message: expect.stringContaining("trainer") });
  await db().delete(trainers);
  await expect(read()).rejects.toMatchObject({ code: "not_implemented" });
});
