import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ProjectId } from "@/server/platform/context";
import { receiveInThread, startThreads } from "./receive-request";

/** Starts threads that run this code for each request, and returns how to send one. */
async function startSending(code: string) {
  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-thread-"));
  const file = path.join(folder, "thread.cjs");
  await writeFile(file, `module.exports = async ({ request }) => { ${code} };`);
  const threads = startThreads(file, 1);
  onTestFinished(async () => {
    await threads.destroy();
    await rm(folder, { recursive: true });
  });
  return (body = "{}") =>
    receiveInThread(
      threads,
      { projectId: "prj_a" as ProjectId, actor: { kind: "operator" } },
      { signal: "traces", body: Buffer.from(body), encoding: "json", masking: { messages: false } },
    );
}

test("if the thread ends, the client is told to send the request again", async () => {
  const send = await startSending("process.exit(1)");
  await expect(send()).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
});

test("a request that waits keeps no other request waiting", async () => {
  const send = await startSending(
    'if (request.body.length === 4) await new Promise(() => {}); return { stored: { receiptId: "rcp_b", rejected: 0, reasons: [] } }',
  );
  for (let n = 0; n < 20; n++) send("wait").catch(() => {});
  expect(await send("go")).toMatchObject({ receiptId: "rcp_b" });
});
