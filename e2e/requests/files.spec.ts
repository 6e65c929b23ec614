import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { newProject, type TestProject } from "../../testbed/data/project";
import { startProduct } from "../../testbed/product/product";
import { expect, test } from "../support/test";

/** Files far larger than the web process may hold in memory, through the built product. */

const MIB = 1024 * 1024;
const FILE_MIB = 200;
/** Far less than the file, with room for garbage collection that runs late on a busy machine. */
const GROWTH_MIB = 128;

let product: Awaited<ReturnType<typeof startProduct>>;
let project: TestProject;
let authorization: string;
test.beforeAll(async () => {
  test.setTimeout(300_000);
  product = await startProduct();
  project = await newProject(product.url, product.dataDir);
  authorization = `Bearer ${await project.newKey("project:data:read", "project:data:write")}`;
});
test.afterAll(async () => {
  await product?.stop();
});

const webPid = () => {
  const lock = JSON.parse(readFileSync(path.join(product.dataDir, "running.json"), "utf8"));
  return lock.children.web.pid as number;
};
const residentMib = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${webPid()}/status`, "utf8"))?.[1]) / 1024;

/** Returns the peak growth of the web process's memory while `work` ran, in MiB. */
async function growthDuring(work: () => Promise<unknown>) {
  const before = residentMib();
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, residentMib());
  }, 20);
  await work().finally(() => clearInterval(sampling));
  return most - before;
}

const files = () => `${product.url}/v1/projects/${project.projectId}/files`;
const piece = randomBytes(MIB);
const digest = createHash("sha256");
for (let at = 0; at < FILE_MIB; at++) digest.update(piece);
const sha256 = digest.digest("hex");

/** Streams the file piece by piece with backpressure; after `brokenAfter` pieces, the client aborts. */
const content = (gone?: AbortController, brokenAfter = Number.POSITIVE_INFINITY) => {
  let sent = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === brokenAfter) gone?.abort();
      else if (sent === FILE_MIB) controller.close();
      else controller.enqueue(piece);
      sent += 1;
    },
  });
};
const upload = (name: string, gone?: AbortController, brokenAfter?: number) =>
  fetch(`${files()}?${new URLSearchParams({ name, mediaType: "application/octet-stream" })}`, {
    method: "POST",
    headers: { authorization, "content-type": "application/octet-stream" },
    body: content(gone, brokenAfter),
    duplex: "half",
    ...(gone && { signal: gone.signal }),
  } as RequestInit);
const stored = () => {
  const folder = path.join(product.dataDir, "files");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
};

test("a file of 200 MiB is uploaded and downloaded in constant memory", async () => {
  test.setTimeout(300_000);
  await upload("warm", new AbortController(), 1).catch(() => {});
  let id = "";
  const up = await growthDuring(async () => {
    const reply = await upload("up.bin");
    expect(reply.status).toBe(201);
    const { file } = await reply.json();
    expect(file).toMatchObject({ bytes: FILE_MIB * MIB, sha256 });
    id = file.id;
  });
  const down = await growthDuring(async () => {
    const reply = await fetch(`${files()}/${id}/content`, { headers: { authorization } });
    const got = createHash("sha256");
    for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) got.update(chunk);
    expect(got.digest("hex")).toBe(sha256);
  });
  console.log(`the web process grew by ${up.toFixed(0)} MiB going up and ${down.toFixed(0)} MiB coming down`);
  expect(Math.max(up, down)).toBeLessThan(GROWTH_MIB);
});

test("an aborted upload leaves nothing behind, and an aborted download closes the file", async () => {
  test.setTimeout(300_000);
  const before = stored();
  const gone = new AbortController();
  await expect(upload("broken.bin", gone, 50)).rejects.toThrow();
  await expect.poll(stored, { timeout: 60_000 }).toEqual(before);
  const listed = await (await fetch(files(), { headers: { authorization } })).json();
  expect(listed.files.map(({ name }: { name: string }) => name)).toEqual(["up.bin"]);

  const grown = await growthDuring(async () => {
    const leaving = new AbortController();
    const reply = await fetch(`${files()}/${listed.files[0].id}/content`, {
      headers: { authorization },
      signal: leaving.signal,
    });
    await reply.body!.getReader().read();
    // The process that serves the file has it open.
    expect(openContents()).toHaveLength(1);
    leaving.abort();
    await expect.poll(openContents, { timeout: 30_000 }).toEqual([]);
  });
  expect(grown).toBeLessThan(GROWTH_MIB);
});

const openContents = () =>
  readdirSync(`/proc/${webPid()}/fd`, { withFileTypes: true }).flatMap(({ name }) => {
    const target = linkOf(`/proc/${webPid()}/fd/${name}`);
    return target.includes("/objects/") ? [target] : [];
  });
function linkOf(file: string) {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}
