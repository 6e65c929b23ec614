import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import { freePort } from "../../scripts/lib/database/postgres.mjs";

type Printing = { output: () => string };

/** Products by their data directory, started by this process. */
const started = new Map<string, Printing>();
export const startedHere = (dataDir: string) => started.get(dataDir);

/** Includes a build, for tests that are run by hand. */
const START_HANGS_MS = 10 * 60_000;

/** Starts the product as a person would: `npm start`, with its own data directory. */
export async function startProduct({
  port = undefined as number | undefined,
  dataDir = mkdtempSync(path.join(tmpdir(), "whetstone-")),
  env = {} as Record<string, string>,
} = {}) {
  port ??= await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { DATABASE_URL: _, PUBLIC_URL: __, MIGRATION_DATABASE_URL: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    env: { ...inherited, DATA_DIR: dataDir, PORT: String(port), HOST: "127.0.0.1", OTLP_GRPC_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let reportReady = () => {};
  const ready = new Promise<void>((resolve) => {
    reportReady = resolve;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      if (output.includes("is ready at")) reportReady();
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const startedAt = performance.now();
  const hangs = AbortSignal.timeout(START_HANGS_MS);
  const hung = new Promise<never>((_, reject) => {
    hangs.onabort = () => reject(new Error(`npm start hangs:\n${output}`));
  });
  const ended = exited.then((code) => Promise.reject(new Error(`npm start ended with ${code}:\n${output}`)));
  try {
    await Promise.race([ready, ended, hung]);
  } catch (error) {
    child.kill("SIGTERM");
    throw error;
  } finally {
    hangs.onabort = null;
    ended.catch(() => {});
  }
  if (!started.has(dataDir)) started.set(dataDir, { output: () => output });
  return {
    url,
    dataDir,
    pid: child.pid!,
    readyAfterMs: performance.now() - startedAt,
    output: () => output,
    exited,
    /** `keep` preserves the data for another start. */
    async stop({ keep = false } = {}) {
      child.kill("SIGTERM");
      await exited;
      if (!keep) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the one-time link of a new installation, which it prints after it has reported that it is ready. */
export async function setupLinkOf({ output }: Printing) {
  const link = () => /http:\S+\/setup#token=\S+(?=\s)/.exec(output())?.[0] ?? "";
  await expect.poll(link, "the start prints the one-time link").not.toBe("");
  return link();
}
