import { fork } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ServiceError } from "../errors";
import { runBounded, streamBounded } from "./bounded-processes";

type Task = {
  does: "answer" | "spin" | "note" | "fill" | "double" | "read" | "refuse" | "exit" | "environment";
  notes?: string;
};

const LIMITS = {
  limitMs: 60_000,
  heapMib: 64,
  exceeded: (what: string) => new ServiceError("unprocessable", `The task ${what}.`),
};

const folder = mkdtempSync(path.join(import.meta.dirname, "../../../node_modules/.cache-process-"));
const program = path.join(folder, "program.mjs");
const streamProgram = path.join(folder, "stream-program.mjs");
const parent = path.join(folder, "parent.mjs");
const streamParent = path.join(folder, "stream-parent.mjs");
beforeAll(async () => {
  await bundle(
    program,
    `
    import { boundedProgram } from "./bounded-program";
    import { ServiceError } from "../errors";
    import { writeFileSync, writeSync } from "node:fs";
    boundedProgram(async ({ does, notes }, source) => {
      if (notes) writeFileSync(notes, String(process.pid));
      if (does === "note") writeSync(2, "At line 3.");
      if (does === "spin" || does === "note") for (;;);
      if (does === "fill") for (const all = []; ; ) all.push(Array.from({ length: 1000 }, () => ({ n: Math.random() })));
      if (does === "double") for (let all = [0]; ; ) all = [...all, ...all];
      if (does === "refuse") throw new ServiceError("unprocessable", "Not this one.", { errors: [{ path: "/a", message: "No." }] });
      if (does === "exit") process.exit(1);
      if (does === "read") return Buffer.concat([await source.read(0, 3), await source.read(source.size - 2, source.size)]).toString();
      return does === "environment" ? Object.keys(process.env).sort() : "done";
    });`,
  );
  await bundle(
    streamProgram,
    `
    import { boundedStreamProgram } from "./bounded-program";
    import { ServiceError } from "../errors";
    import { writeFileSync } from "node:fs";
    boundedStreamProgram(async function* ({ does, notes }, source) {
      yield "first";
      if (notes) writeFileSync(notes, String(process.pid));
      if (does === "spin") for (;;);
      if (does === "refuse") throw new ServiceError("unprocessable", "Not this one.");
      if (does === "exit") process.exit(1);
      yield Buffer.from(await source.read(0, 3)).toString();
    });`,
  );
  await bundle(
    streamParent,
    `
    import { streamBounded } from "./bounded-processes";
    const [, , program, notes] = process.argv;
    const results = streamBounded(program, { limitMs: 600_000, heapMib: 64, exceeded: String }, { does: "spin", notes });
    await results.next();
    await results.next();`,
  );
  await bundle(
    parent,
    `
    import { runBounded } from "./bounded-processes";
    const [, , program, notes] = process.argv;
    void runBounded(program, { limitMs: 500, heapMib: 64, exceeded: String }, { does: "spin", notes });`,
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

async function bundle(outfile: string, contents: string) {
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["react-server"],
    tsconfig: path.join(import.meta.dirname, "../../../tsconfig.json"),
    logLevel: "error",
  });
}
const DIGITS = { size: 10, read: async (from: number, to: number) => Buffer.from("0123456789").subarray(from, to) };
const stream = (does: Task["does"], limitMs = LIMITS.limitMs) =>
  streamBounded<Task, string>(streamProgram, { ...LIMITS, limitMs }, { does }, DIGITS);
const run = (does: Task["does"], limitMs = LIMITS.limitMs) =>
  runBounded<Task, string | string[]>(program, { ...LIMITS, limitMs }, { does }, DIGITS);

test("the error for a task that passed a limit is told what its program wrote last", async () => {
  const exceeded = (what: string, said: string) => new ServiceError("unprocessable", `${said} It ${what}.`);
  const run = runBounded(program, { ...LIMITS, limitMs: 500, exceeded }, { does: "note" } satisfies Task);
  await expect(run).rejects.toThrow("At line 3. It took longer than 0.5 s.");
});

test("a task that takes too long or too much memory ends with an error that says so, and others go on", async () => {
  const outcomes = await Promise.allSettled([run("spin", 300), run("fill"), run("double"), run("answer")]);
  const tooMuch = { reason: { code: "unprocessable", message: "The task needs more than 64 MiB of memory." } };
  expect(outcomes).toMatchObject([
    { reason: { code: "unprocessable", message: "The task took longer than 0.3 s." } },
    tooMuch,
    tooMuch,
    { value: "done" },
  ]);
});

test("a program reads a file through the process that has it", async () => {
  expect(await run("read")).toBe("01289");
});

test("an error keeps its kind, message and fields", async () => {
  await expect(run("refuse")).rejects.toMatchObject({
    code: "unprocessable",
    message: "Not this one.",
    errors: [{ path: "/a", message: "No." }],
  });
});

test("if a process ends by itself, its task fails", async () => {
  await expect(run("exit")).rejects.toThrow("program.mjs ended without an answer (1).");
});

test("a program does not get this process's environment", async () => {
  vi.stubEnv("WHETSTONE_SECRET", "a secret");
  expect(await run("environment")).not.toContain("WHETSTONE_SECRET");
});

test("a program that never waits ends soon after its parent was killed", async () => {
  const notes = path.join(folder, "notes");
  const killed = fork(parent, [program, notes], { stdio: "ignore" });
  await vi.waitUntil(() => existsSync(notes) && readFileSync(notes, "utf8"), 30_000);
  killed.kill("SIGKILL");
  const pid = Number(readFileSync(notes, "utf8"));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 60_000);
});

test("the results of a stream come one by one, from the file's parts", async () => {
  const results = stream("answer");
  expect([await results.next(), await results.next(), await results.next()]).toEqual(["first", "012", undefined]);
});

test.each([
  ["takes too long", "spin", { code: "unprocessable", message: "The task took longer than 0.5 s." }],
  ["is refused", "refuse", { code: "unprocessable", message: "Not this one." }],
  ["ends its program", "exit", { message: "stream-program.mjs ended without an answer (1)." }],
] as const)("a result that %s ends its stream, and those before it stay", async (_, does, reason) => {
  const results = stream(does, does === "spin" ? 500 : undefined);
  expect(await results.next()).toBe("first");
  await expect(results.next()).rejects.toMatchObject(reason);
});

test("a closed stream gives no more results", async () => {
  const results = stream("answer");
  await results.next();
  results.close();
  await expect(results.next()).rejects.toThrow("ended without an answer (SIGKILL)");
});

test("the program of a stream ends with its parent, though it has no limit in all and never waits", async () => {
  const notes = path.join(folder, "stream-notes");
  const killed = fork(streamParent, [streamProgram, notes], { stdio: "ignore" });
  await vi.waitUntil(() => existsSync(notes) && readFileSync(notes, "utf8"), 30_000);
  killed.kill("SIGKILL");
  const pid = Number(readFileSync(notes, "utf8"));
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 60_000);
});
