import { beforeEach, expect, test, vi } from "vitest";
import { idOf, spanOf } from "../otlp/testing/conversations";
import { Reading } from "./reading";
import { forgetReadings, ReadingCache } from "./reading-cache";

const MIB = 2 ** 20;
const PROJECT = "prj_1";

/** Longer attribute values are cut. */
const CHARACTERS_A_SPAN = 32_768;

/** Returns a reading with this many characters of messages. */
function readingOf(characters: number): Reading {
  const reading = new Reading();
  for (let at = 0; at < characters; at += CHARACTERS_A_SPAN) {
    const content = `${at} `.padEnd(Math.min(CHARACTERS_A_SPAN, characters - at), "x");
    const attributes = { "gen_ai.operation.name": "chat", "gen_ai.input.messages": JSON.stringify([{ content }]) };
    reading.add({ span: spanOf(attributes, { spanId: idOf(at + 1) }), logs: [] }, undefined);
  }
  return reading;
}

function put(cache: ReadingCache, id: string, characters = 1000, again = false) {
  const pass = cache.begin();
  pass.put(PROJECT, id, readingOf(characters), again);
  pass.end();
}

const holds = (cache: ReadingCache, id: string) => cache.begin().peek(PROJECT, id) !== undefined;

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

test("the estimate of a reading's memory is a few times the length of its text", () => {
  const bytes = readingOf(MIB).bytes();
  expect(bytes).toBeGreaterThan(2 * MIB);
  expect(bytes).toBeLessThan(10 * MIB);
});

test("a conversation is cached from its second pass on", () => {
  const cache = new ReadingCache();
  for (const held of [false, true]) {
    put(cache, "growing");
    expect(holds(cache, "growing")).toBe(held);
  }
});

test("a conversation above the limit for one reading is not cached", () => {
  const cache = new ReadingCache({ bytes: 100 * MIB, readingBytes: MIB, unusedMs: 1000, atOnce: true });
  put(cache, "long", MIB);
  expect(cache).toMatchObject({ size: 0, bytes: 0 });
});

test("a full cache drops readings used once, oldest first, and admits no new ones in place of readings used again", () => {
  const one = readingOf(1000).bytes();
  const cache = new ReadingCache({ bytes: 3 * one, readingBytes: MIB, unusedMs: 1000, atOnce: true });
  put(cache, "agent", 1000, true);
  for (const id of ["a", "b", "c"]) put(cache, id);
  expect(["agent", "a", "b", "c"].map((id) => holds(cache, id))).toEqual([true, false, true, true]);
  put(cache, "b", 1000, true);
  put(cache, "c", 1000, true);
  put(cache, "new");
  put(cache, "new one", 1000, true);
  expect(["agent", "b", "c", "new", "new one"].map((id) => holds(cache, id))).toEqual([true, true, true, false, false]);
  expect(cache.bytes).toBe(3 * one);
});

test("readings unused for long are dropped without another pass", () => {
  const cache = new ReadingCache({ bytes: MIB, readingBytes: MIB, unusedMs: 1000, atOnce: true });
  put(cache, "old");
  put(cache, "old agent", 1000, true);
  vi.advanceTimersByTime(900);
  put(cache, "new");
  vi.advanceTimersByTime(200);
  cache.dropUnused();
  expect(["old", "old agent", "new"].map((id) => holds(cache, id))).toEqual([false, false, true]);
});

test("a reading taken by a failed pass is dropped, and one made by it is not cached", () => {
  const cache = new ReadingCache({ atOnce: true });
  put(cache, "taken");
  const pass = cache.begin();
  expect(pass.take(PROJECT, "taken")).toBeDefined();
  pass.put(PROJECT, "made", readingOf(10), true);
  expect(pass.peek(PROJECT, "made")).toBeDefined();
  pass.abandon();
  expect(cache).toMatchObject({ size: 0, bytes: 0 });
});

test("an erasure drops readings of its conversations or project, including those of a pass in progress, and no others", () => {
  const cache = new ReadingCache({ atOnce: true });
  for (const id of ["erased", "other"]) put(cache, id);
  const pass = cache.begin();
  pass.put(PROJECT, "erased too", readingOf(10), true);
  pass.put("prj_10", "neighbour", readingOf(10), true);
  forgetReadings(PROJECT, ["erased", "erased too"]);
  pass.end();
  expect(["erased", "erased too", "other"].map((id) => holds(cache, id))).toEqual([false, false, true]);

  const late = cache.begin();
  late.put(PROJECT, "late", readingOf(10), true);
  forgetReadings(PROJECT, "all");
  late.end();
  expect(["other", "late"].map((id) => holds(cache, id))).toEqual([false, false]);
  expect(cache.begin().peek("prj_10", "neighbour")).toBeDefined();
});
