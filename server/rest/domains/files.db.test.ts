import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { files } from "@/db/schema";
import { growthOf } from "@/db/testing/live-memory";
import { testProject } from "@/db/testing/test-project";
import { fileStore } from "@/server/platform/files";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor } from "../testing";
import { serve } from "../testing/serve";

const MIB = 1024 * 1024;
const LARGE_BYTES = 200 * MIB;
const BYTES = { "content-type": "application/octet-stream" };

let origin: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "whetstone-large-"));
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => rm(folder, { recursive: true }));

async function projectWithKey() {
  const { ctx } = await testProject();
  const key = await keyFor(ctx, "project:data:read", "project:data:write");
  const at = (address: string) => `${origin}/v1/projects/${ctx.projectId}${address}`;
  const ask = async (method: string, address: string, body?: Uint8Array<ArrayBuffer> | object, headers = {}) => {
    const isBytes = body instanceof Uint8Array;
    const type = isBytes ? BYTES : { "content-type": "application/json" };
    return fetch(at(address), {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body ? type : {}), ...headers },
      ...(body ? { body: isBytes ? body : JSON.stringify(body) } : {}),
    });
  };
  return { ctx, key, at, ask };
}
type Project = Awaited<ReturnType<typeof projectWithKey>>;

const fileOf = async (reply: Response) => ((await reply.json()) as { file: { id: string; sha256: string } }).file;
async function leftOf({ ctx }: Project) {
  const keys: string[] = [];
  for await (const { key } of fileStore().list(`${ctx.projectId}/`)) keys.push(key);
  const rows = await db().select().from(files).where(eq(files.projectId, ctx.projectId));
  return { keys: keys.length, rows: rows.length };
}

/** Begins a request that the client can abort midway. */
function begin({ key, at }: Project, method: string, address: string) {
  const sent: ClientRequest = httpRequest(at(address), {
    method,
    headers: { authorization: `Bearer ${key}`, ...BYTES },
  });
  sent.on("error", () => {});
  return sent;
}
const answered = (sent: ClientRequest) => new Promise<IncomingMessage>((resolve) => sent.once("response", resolve));

test("a file is uploaded, listed, downloaded whole and in part, and deleted (uploadFile, listFiles, downloadFile, deleteFile)", async () => {
  const project = await projectWithKey();
  const bytes = new Uint8Array(randomBytes(100_000));
  const uploaded = await project.ask("POST", "/files?name=M%C3%A4rz%20%221%22.csv&mediaType=text/csv", bytes);
  expect(uploaded.status).toBe(201);
  const file = await fileOf(uploaded);
  const listed = (await (await project.ask("GET", "/files")).json()) as { files: object[] };
  expect(listed.files).toEqual([file]);

  const whole = await project.ask("GET", `/files/${file.id}/content`);
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": expect.stringContaining("text/csv"),
    "content-disposition": `attachment; filename="M_rz _1_.csv"; filename*=UTF-8''M%C3%A4rz%20%221%22.csv`,
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    etag: `"${file.sha256}"`,
  });
  const part = await project.ask("GET", `/files/${file.id}/content`, undefined, { range: "bytes=99990-" });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 99990-99999/100000"]);
  expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.subarray(-10));
  const none = await project.ask("GET", `/files/${file.id}/content`, undefined, { range: "bytes=100000-" });
  expect([none.status, ((await none.json()) as { code: string }).code]).toEqual([416, "range_not_satisfiable"]);
  expect((await project.ask("HEAD", `/files/${file.id}/content`)).status).toBe(200);

  const other = await projectWithKey();
  for (const [method, address] of [
    ["GET", `/files/${file.id}`],
    ["GET", `/files/${file.id}/content`],
    ["DELETE", `/files/${file.id}`],
    ["POST", `/files/${file.id}/completion`],
  ] as const)
    expect((await other.ask(method, address)).status, `${method} ${address}`).toBe(404);
  expect((await other.ask("PATCH", `/files/${file.id}/content?offset=0`, bytes)).status).toBe(404);

  expect((await project.ask("DELETE", `/files/${file.id}`)).status).toBe(200);
  expect((await project.ask("GET", `/files/${file.id}/content`)).status).toBe(404);
  expect(await leftOf(project)).toEqual({ keys: 0, rows: 0 });
});

test("an upload continues where a killed client left it (beginUpload, continueUpload, getFile, finishUpload)", async () => {
  const project = await projectWithKey();
  const bytes = new Uint8Array(randomBytes(4 * MIB));
  const begun = await project.ask("POST", "/file-uploads", { name: "a.bin", bytes: bytes.length });
  expect(begun.status).toBe(201);
  const { id } = await fileOf(begun);
  const uploadedBytes = async () =>
    ((await (await project.ask("GET", `/files/${id}`)).json()) as { uploadedBytes: number }).uploadedBytes;

  const killed = begin(project, "PATCH", `/files/${id}/content?offset=0`);
  killed.write(bytes.subarray(0, MIB));
  await expect.poll(uploadedBytes).toBe(MIB);
  killed.destroy();
  // The upload is released as soon as the server has noticed that the client is gone.
  await expect
    .poll(async () => (await project.ask("PATCH", `/files/${id}/content?offset=${MIB}`, bytes.subarray(MIB))).status)
    .toBe(200);
  const done = await project.ask("POST", `/files/${id}/completion`);
  expect(done.status).toBe(200);
  expect(await (await project.ask("GET", `/files/${id}/content`)).arrayBuffer()).toEqual(bytes.buffer);
});

test("a client that is killed in the middle of an upload leaves no file behind", async () => {
  const project = await projectWithKey();
  const killed = begin(project, "POST", "/files?name=a.bin");
  killed.write(randomBytes(3 * MIB));
  await expect.poll(() => leftOf(project)).toEqual({ keys: 1, rows: 1 });
  killed.destroy();
  await expect.poll(() => leftOf(project)).toEqual({ keys: 0, rows: 0 });
});

test("too large a file, another media type and a bad name are refused and leave no file behind", async () => {
  const project = await projectWithKey();
  const refused = async (address: string, headers: Record<string, string>) => {
    const sent = begin(project, "POST", address);
    for (const [name, value] of Object.entries(headers)) sent.setHeader(name, value);
    sent.flushHeaders();
    const { statusCode } = await answered(sent);
    sent.destroy();
    return statusCode;
  };
  expect(await refused("/files?name=a", { "content-length": String(6 * 1024 ** 3) })).toBe(413);
  expect(await refused("/files?name=a", { "content-type": "text/csv" })).toBe(415);
  for (const name of ["", "a%2Fb", "..%5Cx", "a%0Ab", "a%00"])
    expect(await refused(`/files?name=${name}`, {})).toBe(400);
  expect(await leftOf(project)).toEqual({ keys: 0, rows: 0 });
});

test("200 MiB are uploaded and downloaded in less than 64 MiB of memory, both ends in this process", async () => {
  const project = await projectWithKey();
  const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
  const handle = await open(from, "w");
  const block = randomBytes(MIB);
  for (let at = 0; at < LARGE_BYTES; at += MIB) await handle.write(block);
  await handle.close();

  const grown = growthOf(() => process.memoryUsage().external, 56 * MIB);
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, grown());
  }, 10);
  const sent = begin(project, "POST", "/files?name=large.bin");
  const reply = answered(sent);
  await pipeline(createReadStream(from), sent);
  const { statusCode, ...rest } = await reply.then(async (message) => {
    const chunks = await message.toArray();
    return { statusCode: message.statusCode, ...JSON.parse(Buffer.concat(chunks).toString()) };
  });
  expect(statusCode).toBe(201);
  const down = begin(project, "GET", `/files/${rest.file.id}/content`);
  down.end();
  await pipeline(await answered(down), createWriteStream(to));
  clearInterval(watch);
  const back = createReadStream(to);
  let bytes = 0;
  for await (const chunk of back) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(LARGE_BYTES);
  expect(most / MIB).toBeLessThan(64);
}, 120_000);
