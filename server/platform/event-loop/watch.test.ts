import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { beginOperation } from "./operations";
import { type Block, eventLoopDelay, watchEventLoop } from "./watch";

/** Long enough that other work on the machine does not block this loop for as long. */
const BLOCKED_MS = 300;

function block(ms: number) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Resolves in a later turn of the loop, as a request arrives. */
async function nextEvent() {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(null);
  await once(port2, "message");
  port2.close();
}

function watch() {
  const blocks: Block[] = [];
  onTestFinished(watchEventLoop({ blockedMs: BLOCKED_MS, report: (found) => blocks.push(found) }));
  return blocks;
}

test("a block of the event loop is reported with the operation that caused it and those that waited", async () => {
  const blocks = watch();
  const waiting = beginOperation("GET /v1/waiting");
  beginOperation("GET /v1/done-before")();
  await nextEvent();
  const culprit = beginOperation("examples.import");
  block(2 * BLOCKED_MS);
  culprit();
  await vi.waitUntil(() => blocks.length > 0, { timeout: 30_000 });
  waiting();
  expect(blocks[0]?.operations).toEqual(["examples.import", "GET /v1/waiting"]);
  expect(blocks[0]?.blockedMs).toBeGreaterThanOrEqual(BLOCKED_MS);
});

test("the delay is known once measured, and while nobody measures it is unknown", async () => {
  expect(eventLoopDelay()).toBeNull();
  watch();
  await vi.waitUntil(() => eventLoopDelay() !== null, { timeout: 30_000 });
  block(BLOCKED_MS);
  await vi.waitUntil(() => (eventLoopDelay()?.maxMs ?? 0) > 0, { timeout: 30_000 });
});
