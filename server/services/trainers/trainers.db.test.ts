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
import { downloadCheckpointFile } from "@/server/services/models/checkpoints/download-checkpoint-file";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { storedJob } from "@/server/services/training/testing/stored-job";
import {
  chooseTrainer,
  listTrainers,
  openTrainer,
  refreshTrainers,
  requireTrainer,
  TrainerRefused,
  TrainerUnreachable,
} from ".";
import { agentTrainer } from "./agent-trainer";
import { attachedTrainers } from "./trainer-rows";

const TOKEN = "token-of-the-test-trainer";
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

type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void;
const json =
  (status: number, body: unknown): Reply =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

let replies: Record<string, Reply> = {};
const calls: string[] = [];
const bodies: string[] = [];
const server = createServer(async (request, response) => {
  calls.push(`${request.method} ${request.url}`);
  let body = "";
  for await (const chunk of request) body += chunk;
  bodies.push(body);
  if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
  const reply =
    replies[`${request.method} ${request.url}`] ?? json(404, { error: { code: "not_found", message: "No." } });
  reply(request, response, body);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
process.env.TRAINER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
process.env.TRAINER_TOKEN = TOKEN;

beforeEach(async () => {
  replies = { "GET /v1/capabilities": json(200, CAPABILITIES), "GET /v1/jobs": json(200, { jobs: [] }) };
  calls.length = 0;
  bodies.length = 0;
  await db().delete(trainers);
});

const named = async () => {
  const { ctx } = await testProject();
  await refreshTrainers(ctx);
  const [row] = await attachedTrainers(db());
  if (!row) throw new Error("No trainer is attached.");
  return { ctx, row, client: await openTrainer(db(), row.id) };
};

test("the operator's trainer is attached once, with its version", async () => {
  const { ctx, row } = await named();
  await refreshTrainers(ctx);
  expect(await attachedTrainers(db())).toHaveLength(1);
  expect(calls).toEqual(["GET /v1/capabilities", "GET /v1/jobs"]);
  expect(row).toMatchObject({ kind: "url", version: "1.2.3", bootId: "boot-1", error: null });
  await expect(requireTrainer(ctx)).resolves.toBeUndefined();
});

test("a job goes to a trainer that supports all of it, and is otherwise refused with reasons and remedies", async () => {
  const { ctx, row } = await named();
  expect(await chooseTrainer(ctx, { method: "sft", adapter: "lora", formats: ["safetensors"] })).toBe(row.id);
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
  await expect(chooseTrainer(ctx, { method: "kto", trainerId: row.id })).rejects.toThrow(/does not support kto/);
});

test.each([
  [0, "Update the trainer"],
  [1, "Update the trainer"],
  [3, "Update Whetstone"],
])("a trainer with contract version %i gets no job, and the error names the remedy", async (spec_version, remedy) => {
  replies["GET /v1/capabilities"] = json(200, { ...CAPABILITIES, spec_version });
  const { ctx } = await named();
  await expect(chooseTrainer(ctx, { method: "sft", adapter: "lora" })).rejects.toMatchObject({
    code: "unprocessable",
    message: expect.stringContaining(remedy),
  });
  const [shown] = (await listTrainers(ctx, {})).trainers;
  expect(shown).toMatchObject({ online: true, supports: { methods: [] }, unavailable: [{ feature: "training" }] });
});

test("a trainer that never reported its capabilities gets no job", async () => {
  replies = { "GET /v1/capabilities": (_request, response) => void response.writeHead(502).end() };
  const { ctx, row } = await named();
  expect(row.error).toMatch(/not available/);
  await expect(chooseTrainer(ctx, { method: "sft" })).rejects.toMatchObject({ code: "unavailable" });
});

test("a trainer's error is passed on, and a proxy's reply counts as an unreachable trainer", async () => {
  const { ctx, client } = await named();
  const ask = (path: string) => client.request({ method: "GET", path, projectId: ctx.projectId });
  replies["GET /v1/jobs/job_1?after=1"] = json(409, {
    error: { code: "in_use", message: "It is used.", hint: "Wait.", log_tail: ["a"] },
  });
  const refused = client.request({ method: "GET", path: "/jobs/job_1", query: { after: 1 }, projectId: ctx.projectId });
  await expect(refused).rejects.toMatchObject({
    name: "TrainerRefused",
    status: 409,
    problem: { code: "in_use", hint: "Wait.", logTail: ["a"], retryable: false },
  });
  replies["GET /v1/away"] = (_request, response) => void response.writeHead(503).end("<html>");
  await expect(ask("/away")).rejects.toBeInstanceOf(TrainerUnreachable);
  replies["GET /v1/page"] = (_request, response) => void response.writeHead(200).end("<html>");
  await expect(ask("/page")).rejects.toBeInstanceOf(TrainerUnreachable);
  await expect(ask("/none")).rejects.toBeInstanceOf(TrainerRefused);
});

test("a manifest is sent in pieces, and only once", async () => {
  const { ctx, client } = await named();
  const sent = {
    projectId: ctx.projectId,
    sha256: "ab".repeat(32),
    bytes: 6,
    content: async function* () {
      yield Buffer.from("one");
      yield Buffer.from("two");
    },
  };
  const address = `/v1/manifests/${sent.sha256}`;
  replies[`PUT ${address}`] = json(201, {});
  await client.sendManifest(sent);
  expect(bodies.at(-1)).toBe("onetwo");
  replies[`HEAD ${address}`] = (_request, response) => void response.writeHead(200).end();
  calls.length = 0;
  await client.sendManifest(sent);
  expect(calls).toEqual([`HEAD ${address}`]);
});

const agent = async () => {
  const { ctx } = await testProject();
  await db().insert(trainers).values({
    id: "trn_a",
    kind: "agent",
    name: "Box",
    keyHash: "x",
    keyHint: "abcd",
    lastSeenAt: NOW,
    updatedAt: NOW,
  });
  return { ctx, client: agentTrainer({ db: db(), trainerId: "trn_a", isOnline: true }) };
};

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
  const { ctx, client } = await agent();
  const asking = client.request({ method: "PUT", path: "/jobs/job_1", json: { a: 1 }, projectId: ctx.projectId });
  await answering((payload) => {
    expect(payload).toMatchObject({ method: "PUT", path: "/v1/jobs/job_1", text: '{"a":1}' });
    return { status: 202, headers: { ETag: "x" }, body: { status: "queued" } };
  }, 1);
  expect(await asking).toEqual({ status: 202, headers: { etag: "x" }, json: { status: "queued" } });
});

test("a streamed answer arrives in pieces, from an agent as a whole, and a refusal is the trainer's own", async () => {
  const { ctx, client } = await named();
  const given = { method: "POST" as const, path: "/ask", json: { stream: true }, projectId: ctx.projectId };
  let next = () => {};
  replies["POST /v1/ask"] = (_request, response) => {
    response.write("one ");
    next = () => void response.end("two");
  };
  const { body } = await client.stream(given);
  const parts = body[Symbol.asyncIterator]();
  expect(Buffer.from((await parts.next()).value as Uint8Array).toString()).toBe("one ");
  next();
  expect(Buffer.from((await parts.next()).value as Uint8Array).toString()).toBe("two");
  expect(JSON.parse(bodies.at(-1) as string)).toEqual(given.json);
  const error = { code: "wrong_state", message: "It is stopping." };
  replies["POST /v1/ask"] = json(409, { error });
  await expect(client.stream(given)).rejects.toMatchObject({ status: 409, problem: error });

  await db().delete(trainers);
  const { client: ofAgent } = await agent();
  const asking = ofAgent.stream(given);
  await answering(() => ({ status: 200, headers: {}, body: { answer: "whole" } }), 1);
  expect(JSON.parse((await buffer((await asking).body)).toString())).toEqual({ answer: "whole" });
  // No text is left behind.
  expect(await db().select().from(trainerCommands)).toEqual([]);
});

test("an answer that is no longer awaited is not handed out to an agent again", async () => {
  const { ctx, client } = await agent();
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
  const { ctx, client } = await agent();
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
  const { ctx, client } = await agent();
  const late = client.request({ method: "GET", path: "/jobs", timeoutMs: 150, projectId: ctx.projectId });
  await expect(late).rejects.toBeInstanceOf(TrainerUnreachable);
  expect(await db().select().from(trainerCommands)).toEqual([]);
  const silent = agentTrainer({ db: db(), trainerId: "trn_a", isOnline: false });
  await expect(silent.request({ method: "GET", path: "/jobs", projectId: ctx.projectId })).rejects.toThrow(
    /not connected/,
  );
});

test("a checkpoint's files are downloaded from its trainer, whole and in part, but not those for resuming", async () => {
  const { ctx, row, client } = await named();
  expect(client.trainerId).toBe(row.id);
  const files = ["model/a b.safetensors", "state/optimizer.pt"].map((path) => ({
    path,
    size: 10,
    sha256: "c".repeat(64),
  }));
  const checkpointId = await storedCheckpoint(ctx, await storedJob(ctx, { trainerId: row.id }), { files });
  const path = "model/a b.safetensors";
  replies[`GET /v1/checkpoints/${checkpointId}/files/model/a%20b.safetensors`] = ({ headers }, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (from === undefined) response.end("0123456789");
    else response.writeHead(206).end("0123456789".slice(Number(from), Number(to) + 1));
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
  await expect(read()).rejects.toMatchObject({ code: "unavailable" });
});
