import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { beginOperation, writeOperationsTo } from "@/server/platform/event-loop/operations";
import { openOperationsFile } from "./operations-file.mjs";
import { Supervised } from "./supervised.mjs";
import { watchBeats } from "./watch-beats.mjs";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Records what the supervisor prints. */
function printed() {
  const lines: string[] = [];
  vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  return lines;
}

/** Supervises a program, and collects the pids of its processes. */
function supervise(program: string, silentMs: number) {
  const pids = new Set<number>();
  const supervised = new Supervised({
    name: "test",
    args: ["-e", program],
    env: () => process.env,
    silentMs,
    operations: openOperationsFile(),
    onStarted: () => void (supervised.identity && pids.add(supervised.identity.pid)),
  });
  onTestFinished(() => supervised.stop());
  return { supervised, pids };
}

const READY_THEN = (work: string) => `process.send({ type: "ready" }, () => { ${work} });`;

test("a process whose event loop is blocked for good is ended and started again", async () => {
  const lines = printed();
  const { supervised, pids } = supervise(READY_THEN("for (;;);"), 300);
  expect(await supervised.start()).toEqual({ type: "ready" });
  await vi.waitUntil(() => pids.size > 1, { timeout: 30_000 });
  expect(lines.join("")).toContain(
    "The test process has not responded for 0.3 s; ending it.\nThe test process ended (SIGKILL); restarting it in 0.5 s.\n",
  );
});

test("what a process did when it crashed is printed, the latest first", async () => {
  const lines = printed();
  const file = 'require("node:fs").writeSync(Number(process.env.OPERATIONS_FD), "1 GET /a\\n3 b.run  \\n2 c\\n")';
  const { supervised } = supervise(READY_THEN(`${file}; process.kill(process.pid, "SIGKILL");`), 30_000);
  await supervised.start();
  await vi.waitUntil(() => lines.join("").includes("latest"), { timeout: 30_000 });
  expect(lines.join("")).toContain("Operations in progress, the latest first: b.run, c, GET /a\n");
});

test("operations are in the file while they are in progress", () => {
  const file = openOperationsFile();
  writeOperationsTo(file.fd);
  const endRequest = beginOperation("POST /v1/é");
  const ends = Array.from({ length: 100 }, () => beginOperation("x".repeat(1000)));
  expect(file.read()).toContain("POST /v1/é");
  for (const end of ends) end();
  expect(file.read()).toEqual(["POST /v1/é"]);
  endRequest();
  expect(file.read()).toEqual([]);
});

test("a process that never becomes ready is not ended for being silent", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { supervised, pids } = supervise("setTimeout(() => {}, 600_000);", 30_000);
  void supervised.start();
  await vi.advanceTimersByTimeAsync(300_000);
  const [pid] = pids;
  expect(process.kill(pid!, 0)).toBe(true);
});

/** A process that sends a message for each one that it gets, and a clock that this test moves. */
async function watched() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const child = spawn(
    process.execPath,
    ["-e", `process.on("message", () => process.send("beat")); process.send("ready")`],
    {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  const onSilent = vi.fn();
  watchBeats(child, 30_000, onSilent);
  const beat = async () => {
    child.send("beat, please");
    await once(child, "message");
  };
  return { onSilent, beat };
}

test("a slow process is not ended as long as it sends a message within the limit", async () => {
  const { onSilent, beat } = await watched();
  for (let minute = 0; minute < 5; minute += 1) {
    vi.advanceTimersByTime(30_000);
    await beat();
  }
  expect(onSilent).not.toHaveBeenCalled();
  vi.advanceTimersByTime(31_000);
  expect(onSilent).toHaveBeenCalledOnce();
});

test("time in which the supervisor did not run does not count", async () => {
  const onSilent = vi.fn();
  onTestFinished(watchBeats(new EventEmitter(), 300, onSilent));
  // As if the machine was suspended, or both processes were stopped.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
  await setImmediate();
  await setImmediate();
  expect(onSilent).not.toHaveBeenCalled();
});
