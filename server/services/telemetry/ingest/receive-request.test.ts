import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readInThread, startThreads } from "./read-request";

/** Reads a request in a thread that runs this code. */
async function readIn(code: string) {
  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-thread-"));
  const file = path.join(folder, "thread.cjs");
  await writeFile(file, `module.exports = () => { ${code} };`);
  const threads = startThreads(file);
  onTestFinished(async () => {
    await threads.destroy();
    await rm(folder, { recursive: true });
  });
  return readInThread(threads, {
    signal: "traces",
    request: { body: Buffer.from("{}"), encoding: "json", nowMs: 0 },
    preparation: { projectId: "prj_a", masking: { messages: false }, whole: [] },
  });
}

test("if the thread ends, the client is told to send the request again", async () => {
  await expect(readIn("process.exit(1)")).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
});

test("a body that cannot be read is an invalid request", async () => {
  const reading = readIn('return { malformed: "The body is not JSON." }');
  await expect(reading).rejects.toMatchObject({ code: "invalid", message: "The body is not JSON." });
});

test("a fault of the reader is not an outage", async () => {
  await expect(readIn('return { error: new TypeError("undefined is not a function") }')).rejects.toThrow(TypeError);
});
