import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { HOUR_MS } from "@/server/platform/durations";
import { memoizeLast } from "./memoize-last";

/** Bytes of all readings: those of several thousand agent traces. */
const BYTES_MAX = 32 * 1024 * 1024;
/** Bytes of an entry besides its characters, estimated. */
const ENTRY_BYTES = 250;
/** Characters. Shorter text is read about as fast as it is hashed. */
const SHORTEST = 40;

/**
 * JSON by what was read and the hash of the text. Its size is known, it does not retain the text that it quotes, and no caller can
 * change what the next one gets.
 */
const readings = new LRUCache<string, string>({
  maxSize: BYTES_MAX,
  sizeCalculation: (reading, key) => ENTRY_BYTES + 2 * (key.length + reading.length),
});

let begun = performance.now();

const hashOf = memoizeLast((text) => hash("sha256", text, "base64"));

/**
 * Returns what `read` finds in a text, cached by the hash of the text: agents get the same results again, and a conversation that
 * continues is read again from its beginning. `what` names the reading and everything else that it depends on. It needs no version,
 * because another version is another process. Readings must survive JSON.
 */
export function readOnce<Reading>(what: string, text: string, read: () => Reading): Reading {
  // Unpaired surrogates are all alike in UTF-8, which is what is hashed.
  if (text.length < SHORTEST || !text.isWellFormed()) return read();
  // Readings quote conversations, and what somebody had erased must not stay in memory as long as the process runs.
  if (performance.now() - begun > HOUR_MS) forgetReadings();
  const key = `${what} ${hashOf(text)}`;
  const known = readings.get(key);
  if (known !== undefined) return JSON.parse(known) as Reading;
  const reading = read();
  readings.set(key, JSON.stringify(reading));
  return reading;
}

/** Empties the cache, also to measure and test the first reading. */
export function forgetReadings(): void {
  readings.clear();
  begun = performance.now();
}
