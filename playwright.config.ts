import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { defineConfig } from "@playwright/test";
import { Agent, setGlobalDispatcher } from "undici";
import { isLong } from "./scripts/lib/testing/amounts.mjs";
import { CHROMIUM_NAMES } from "./scripts/lib/testing/chromium.mjs";
import { durations } from "./scripts/lib/testing/durations.mjs";

// Running the command line blocks tests for seconds, in which a kept-alive connection may be closed without their noticing.
setGlobalDispatcher(new Agent({ pipelining: 0 }));

/** Tests run the command line (`npx whetstone`) with this as DATA_DIR. */
process.env.E2E_DATA_DIR ??= path.join(tmpdir(), `whetstone-e2e-${crypto.randomUUID()}`);
process.env.E2E_PORT ??= String(3900 + (process.pid % 90));
process.env.E2E_GRPC_PORT ??= String(3800 + (process.pid % 90));
// Tests wait for background work while their browsers take all the processor time that there is.
process.env.WORKER_NICENESS ??= "0";
const { E2E_DATA_DIR, E2E_GRPC_PORT, E2E_PORT } = process.env;
const baseURL = `http://127.0.0.1:${E2E_PORT}`;
/** `npm test` sets one; the fallback is for running `npx playwright test` by hand. */
const chromium = process.env.CHROMIUM_PATH ?? CHROMIUM_NAMES.map((name) => `/usr/bin/${name}`).find(existsSync);

const seconds = durations();
const specs = readdirSync("e2e", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".spec.ts"));
/** Files that take `from` to `to` seconds; one that was never measured counts as the longest. */
const between = (from: number, to: number) =>
  specs.filter((name) => {
    const takes = seconds[`e2e/${name}`] ?? Number.MAX_VALUE;
    return takes >= from && takes < to;
  });

export default defineConfig({
  testDir: "e2e",
  globalSetup: "./e2e/support/global-setup.ts",
  outputDir: "test-results",
  fullyParallel: false,
  forbidOnly: Boolean(process.env.CI),
  // Files run in parallel: each has its own projects, in the shared installation or in one that it starts itself.
  // Twice as many as cores: half the time a test waits.
  workers: 4,
  // In CI a whole change is not lost to a race: what passes at its second try is named in the last lines, to be mended.
  retries: process.env.CI ? 1 : 0,
  // Generous for a busy machine: tests wait for conditions, never for time.
  timeout: 120_000,
  expect: { timeout: 10_000 },
  use: {
    baseURL,
    // Tracing costs a tenth of the time. To see what happened: `npx playwright test --trace=retain-on-failure FILE`.
    trace: "off",
    // Nothing moves: frames of transitions cost processor time. The long run shows them.
    contextOptions: { reducedMotion: isLong ? "no-preference" : "reduce" },
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      // Disables the browser's own network lookups: tests need nothing but the product.
      args: [
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  // In the order in which they start: otherwise one worker is still busy with a long file when the others have nothing left to
  // do. What opens no browser is in `requests`; a worker starts a browser when a test first needs one.
  projects: [
    { name: "longest", testMatch: between(150, Infinity) },
    { name: "long", testMatch: between(30, 150) },
    { name: "short", testMatch: between(0, 30) },
  ],
  webServer: {
    command: "exec node scripts/start.mjs",
    url: `${baseURL}/healthz`,
    env: {
      DATA_DIR: E2E_DATA_DIR,
      HOST: "127.0.0.1",
      PORT: E2E_PORT,
      OTLP_GRPC_PORT: E2E_GRPC_PORT,
      DIAGNOSE_AFTER_QUIET_SECONDS: "1",
      // Simulated trackers listen on loopback.
      OUTBOUND_ALLOW: "127.0.0.1",
      STOP_WITH_PARENT: "1",
    },
    timeout: 10 * 60_000,
    stdout: "pipe",
    gracefulShutdown: { signal: "SIGTERM", timeout: 15_000 },
  },
});
