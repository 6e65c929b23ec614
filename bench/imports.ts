import { createWriteStream, openAsBlob, readFileSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bound, machine } from "./lib/machine";
import { memoryOf } from "./lib/memory";
import { startProduct } from "./lib/product";
import { type Sample, thirdsOf } from "./lib/thirds";

/**
 * Run by `npm run bench -- imports`: imports a file of 100,000 Examples (200 MB) into the running product, all rows or none, so
 * that it is read twice: once to validate, once to store. The memory measured is the worker's own.
 */
const EXAMPLES = Number(process.argv[2] ?? 100_000);
const BYTES_EACH = 2_000;
const VALIDATED_A_SECOND = 20_000;
const STORED_A_SECOND = 5_000;
const MEMORY_GROWTH = 1.1;
const WARM_UP = 0.2;
const POLL_MS = 50;
const MEMORY_EVERY_MS = 500;

type Import = {
  id: string;
  status: string;
  rowsDone: number;
  created: number;
  rejected: number;
  error: string | null;
  startedAt: number;
  finishedAt: number | null;
};

const WORDS = readFileSync(new URL("../README.md", import.meta.url), "utf8").match(/\p{L}+/gu) ?? ["word"];

/** A conversation of three turns, different in each row. */
function line(n: number): string {
  const text = (of: number, words: number) =>
    Array.from({ length: words }, (_, at) => WORDS[(n * 31 + of * 977 + at * 7) % WORDS.length]).join(" ");
  const messages = [
    { role: "system", content: "You answer questions of customers." },
    { role: "user", content: `Question ${n}: ${text(1, 60)}` },
    { role: "assistant", content: text(2, 80) },
    { role: "user", content: text(3, 30) },
    { role: "assistant", content: "" },
  ];
  const bare = JSON.stringify({ messages }).length;
  messages[4]!.content = text(4, 200).slice(0, Math.max(20, BYTES_EACH - bare - 1));
  return `${JSON.stringify({ messages })}\n`;
}

const folder = await mkdtemp(path.join(tmpdir(), "whetstone-imports-"));
const file = path.join(folder, "examples.jsonl");
const out = createWriteStream(file);
for (let n = 0; n < EXAMPLES; n++) {
  if (!out.write(line(n))) await new Promise((resolve) => out.once("drain", () => resolve(undefined)));
}
await new Promise<void>((resolve) => out.end(() => resolve()));
console.log(`${machine()}\n${EXAMPLES} Examples, ${Math.round((await stat(file)).size / 1e6)} MB\n`);

const product = await startProduct();
const base = `${product.url}/v1/projects/${product.projectId}`;
const key = await product.newKey("models:manage", "workspace:read", "project:data:write");

async function ask<Reply>(method: string, at: string, body?: Blob | object): Promise<Reply> {
  const isFile = body instanceof Blob;
  const reply = await fetch(`${base}/${at}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": isFile ? "application/octet-stream" : "application/json",
    },
    ...(body ? { body: isFile ? body : JSON.stringify(body) } : {}),
  });
  if (!reply.ok) throw new Error(`${at}: ${reply.status} ${await reply.text()}`);
  return reply.json() as Promise<Reply>;
}

const workerPid = (): number => JSON.parse(readFileSync(`${product.dataDir}/running.json`, "utf8")).children.worker.pid;
const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

try {
  const { dataset } = await ask<{ dataset: { id: string } }>("POST", "datasets", { name: "Bench" });
  const uploaded = await ask<{ file: { id: string } }>("POST", "files?name=examples.jsonl", await openAsBlob(file));
  const imports = `datasets/${dataset.id}/imports`;
  let { import: state } = await ask<{ import: Import }>("POST", imports, { fileId: uploaded.file.id });
  const samples: Sample[] = [];
  let storingSince = 0;
  let sampledAt = 0;
  while (state.finishedAt === null) {
    await sleep(POLL_MS);
    ({ import: state } = await ask<{ import: Import }>("GET", `${imports}/${state.id}`));
    const at = performance.now();
    if (state.status === "storing" && storingSince === 0) storingSince = Date.now();
    if (at - sampledAt < MEMORY_EVERY_MS) continue;
    sampledAt = at;
    samples.push({ at, value: memoryOf(workerPid()).own });
  }
  if (state.status !== "completed") throw new Error(`The import is ${state.status}: ${state.error}`);
  const validated = EXAMPLES / ((storingSince - state.startedAt) / 1000);
  const stored = EXAMPLES / ((state.finishedAt - storingSince) / 1000);
  const { first, last } = thirdsOf(samples, WARM_UP);
  const [before, after] = [median(first), median(last)];
  bound("all stored once", state.created === EXAMPLES, `${state.created} of ${EXAMPLES}`);
  bound(
    "validated",
    validated >= VALIDATED_A_SECOND,
    `${Math.round(validated)} rows a second, at least ${VALIDATED_A_SECOND}`,
  );
  bound("stored", stored >= STORED_A_SECOND, `${Math.round(stored)} rows a second, at least ${STORED_A_SECOND}`);
  bound(
    "memory flat",
    after <= before * MEMORY_GROWTH,
    `${before.toFixed(0)} MiB to ${after.toFixed(0)} MiB, at most + 10 %`,
  );
} finally {
  await product.stop();
  await rm(folder, { recursive: true });
}
