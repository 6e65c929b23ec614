import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { collectGarbage } from "@/db/testing/live-memory";
import { Reading } from "../projection/reading";
import { cachedPart, cachePart, forgetParts } from "./part-cache";
import { putIntoSpan } from "./put-back";

const SPAN = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  parentSpanId: null,
  name: "chat",
  kind: 3,
  scope: { name: "", version: "" },
  resource: {},
  attributes: {},
  events: [],
  status: { code: 0, message: null },
  startedUs: 1,
  endedUs: 2,
  arrival: 0,
} as const;

/** Returns a reading of a span whose input is this part. */
function readingOf(id: string): Reading {
  const recipe = { in: "attributes", name: "gen_ai.input.messages", form: "list" } as const;
  const item = cachePart(id, '{"role":"user","content":"Where is my parcel?"}');
  const reading = new Reading();
  reading.add({ span: putIntoSpan(SPAN, [{ recipe, items: [item] }]), logs: [] }, undefined);
  return reading;
}

/** Caches more parts than there is room for. */
async function fill(): Promise<void> {
  for (let at = 0; at < 40; at++) cachePart(`other ${at}`, `${at}`.padEnd(2 ** 20, "."));
  await setImmediate();
  collectGarbage();
}

it("finds a part that a reading references, however many others are cached, and no unreferenced part", async () => {
  const reading = readingOf("held");
  readingOf("not held");
  await fill();
  expect(cachedPart("held")?.text).toContain("parcel");
  expect(cachedPart("not held")).toBeUndefined();
  expect(reading.finish().messages).toHaveLength(1);
});

it("finds no part after forgetParts, even if a reading references it", () => {
  const reading = readingOf("forgotten");
  forgetParts();
  expect(cachedPart("forgotten")).toBeUndefined();
  expect(reading.finish().messages).toHaveLength(1);
});
