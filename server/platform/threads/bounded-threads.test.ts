import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceError } from "../errors";
import { runBounded, startBoundedThreads } from "./bounded-threads";

type Task = { does: "answer" | "spin" | "fill" | "read" | "refuse" | "exit" };

const HEAP_MIB = 64;
const LIMITS = {
  limitMs: 300,
  heapMib: HEAP_MIB,
  exceeded: (what: string) => new ServiceError("unprocessable", `The task ${what}.`),
};

const folder = mkdtempSync(path.join(import.meta.dirname, "../../../node_modules/.cache-thread-"));
let threads: ReturnType<typeof startBoundedThreads>;
beforeAll(async () => {
  const outfile = path.join(folder, "thread.mjs");
  await build({
    stdin: {
      contents: `
        import { inThread } from "./in-thread";
        import { ServiceError } from "../errors";
        export default inThread(async ({ does }, source) => {
          if (does === "spin") for (;;);
          if (does === "fill") for (const all = []; ; ) all.push(Array.from({ length: 1000 }, () => ({ n: Math.random() })));
          if (does === "refuse") throw new ServiceError("unprocessable", "Not this one.", { errors: [{ path: "/a", message: "No." }] });
          if (does === "exit") process.exit(1);
          if (does === "read") return Buffer.concat([await source.read(0, 3), await source.read(source.size - 2, source.size)]).toString();
          return "done";
        });`,
      resolveDir: import.meta.dirname,
      loader: "ts",
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    conditions: ["react-server"],
    tsconfig: path.join(import.meta.dirname, "../../../tsconfig.json"),
    logLevel: "error",
  });
  threads = startBoundedThreads(outfile, HEAP_MIB);
});
afterAll(async () => {
  await threads.destroy();
  rmSync(folder, { recursive: true });
});

const run = (does: Task["does"], limits = LIMITS) =>
  runBounded<Task, string>(
    threads,
    limits,
    { does },
    { size: 10, read: async (from, to) => Buffer.from("0123456789").subarray(from, to) },
  );

test("a task that takes too long or too much memory ends with an error that says so, and others go on", async () => {
  const outcomes = await Promise.allSettled([
    run("spin"),
    run("fill", { ...LIMITS, limitMs: 60_000 }),
    run("answer", { ...LIMITS, limitMs: 60_000 }),
  ]);
  expect(outcomes).toMatchObject([
    { reason: { code: "unprocessable", message: "The task took longer than 0.3 s." } },
    { reason: { code: "unprocessable", message: "The task needs more than 64 MiB of memory." } },
    { value: "done" },
  ]);
  expect(await run("answer", { ...LIMITS, limitMs: 60_000 })).toBe("done");
});

test("a task's time counts from when its thread begins, not while it waits", async () => {
  const outcomes = await Promise.allSettled([run("spin"), run("spin"), run("answer")]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});

test("a thread reads a file through the process that has it", async () => {
  expect(await run("read")).toBe("01289");
});

test("an error keeps its kind, message and fields", async () => {
  await expect(run("refuse")).rejects.toMatchObject({
    code: "unprocessable",
    message: "Not this one.",
    errors: [{ path: "/a", message: "No." }],
  });
});

test("if a thread ends by itself, its task fails, and the next one works", async () => {
  await expect(run("exit")).rejects.toThrow();
  expect(await run("answer")).toBe("done");
});
