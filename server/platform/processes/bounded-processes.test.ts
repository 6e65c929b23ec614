import { fork } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ServiceError } from "../errors";
import { runBounded } from "./bounded-processes";

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
const parent = path.join(folder, "parent.mjs");
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
const run = (does: Task["does"], limitMs = LIMITS.limitMs) =>
  runBounded<Task, string | string[]>(
    program,
    { ...LIMITS, limitMs },
    { does },
    { size: 10, read: async (from, to) => Buffer.from("0123456789").subarray(from, to) },
  );

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
