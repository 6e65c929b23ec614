import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Inngest, type InngestFunction } from "inngest";
import { serve } from "inngest/node";
import { afterEach, describe, test } from "vitest";
import { db } from "@/db/pool";
import { newId } from "@/server/platform/ids";
import { type Engine, type EngineOptions, startEngine } from "../engine";
import { outboxFetch } from "../events/outbox-fetch";

/** An engine under test: the same functions run on each. */
export type TestEngine = {
  client: Inngest.Any;
  /** Returns a name for events and functions that no other test uses. */
  unique: (name: string) => string;
  start: (functions: readonly InngestFunction.Any[]) => Promise<void>;
  /** The timeout for expected events. */
  patienceMs: number;
};

export const silent = { debug() {}, info() {}, warn() {}, error() {} };
const nth = () => newId("evt").slice(-12);

/** Returns a client whose events go to the outbox of this test file's database. */
export const embeddedClient = () =>
  new Inngest({
    id: `test-${nth()}`,
    isDev: true,
    baseUrl: "http://embedded.invalid",
    fetch: outboxFetch(db),
    aiMetadata: false,
    logger: silent,
  });

/** Short waits, so that a suite takes seconds. */
export const QUICK = { pollMs: 20, backoff: () => 20 } satisfies Partial<EngineOptions>;

function embedded(): TestEngine & { stop: () => Promise<void> } {
  const client = embeddedClient();
  let engine: Engine | undefined;
  return {
    client,
    unique: (name) => `${name}-${client.id}`,
    start: async (functions) => {
      engine = await startEngine({ db: db(), client, functions, ...QUICK });
    },
    patienceMs: 60_000,
    stop: async () => engine?.stop(),
  };
}

/** The functions are served by this process, and the server at `baseUrl` calls them. */
function server(baseUrl: string): TestEngine & { stop: () => Promise<void> } {
  const client = new Inngest({ id: `test-${nth()}`, isDev: true, baseUrl, aiMetadata: false, logger: silent });
  let http: Server | undefined;
  return {
    client,
    unique: (name) => `${name}-${client.id}`,
    start: async (functions) => {
      http = createServer(serve({ client, functions: [...functions], servePath: "/api/inngest" }));
      await new Promise<void>((resolve) => http?.listen(0, "127.0.0.1", resolve));
      const address = `http://127.0.0.1:${(http.address() as AddressInfo).port}/api/inngest`;
      const reply = await fetch(address, { method: "PUT" });
      if (!reply.ok) throw new Error(`The Inngest server did not take the functions: ${await reply.text()}`);
    },
    patienceMs: 90_000,
    stop: async () => {
      http?.closeAllConnections();
      await new Promise((resolve) => (http ? http.close(resolve) : resolve(undefined)));
    },
  };
}

// biome-ignore lint/style/noProcessEnv: a setting of the test run, not of the product.
const SERVER_URL = process.env.INNGEST_BASE_URL;

/** One suite, run on the embedded engine and, where `INNGEST_BASE_URL` names one, on a real Inngest server. */
export function describeEngine(title: string, suite: (engine: () => TestEngine) => void) {
  const on = (name: string, create: () => TestEngine & { stop: () => Promise<void> }) =>
    describe(`${title}, on ${name}`, () => {
      let present: ReturnType<typeof create> | undefined;
      afterEach(async () => {
        await present?.stop();
        present = undefined;
      });
      suite(() => {
        present ??= create();
        return present;
      });
    });
  on("the embedded engine", embedded);
  if (SERVER_URL) on("an Inngest server", () => server(SERVER_URL));
  else test.skip(`${title}, on an Inngest server: did not run, because INNGEST_BASE_URL names none`, () => {});
}

/** Waits until `read` returns a truthy value. */
export async function until<T>(read: () => T | Promise<T>, patienceMs = 60_000): Promise<NonNullable<T>> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (performance.now() > end) throw new Error(`Waited ${patienceMs} ms in vain for: ${read}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
