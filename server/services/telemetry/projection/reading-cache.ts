import { totalmem } from "node:os";
import { forgetParts } from "../content/part-cache";
import type { Reading } from "./reading";

/** Memory available to this process: the machine's, or its container's limit. */
const MEMORY = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
/** Memory for all readings of a projector, by their own estimate: enough for 350 agent sessions of 120 calls each. */
const BYTES_MAX = Math.min(2 ** 30, MEMORY / 8);
/** A larger conversation is reread from the database whenever it grows. */
const READING_BYTES_MAX = 32 * 2 ** 20;
/** Readings contain words of conversations, so they are dropped when unused for this long. */
const UNUSED_MS = 2 * 60 * 1000;

/** Number of conversations remembered as seen, by their ids only. */
const SEEN_MAX = 10_000;

export type CacheLimits = {
  bytes: number;
  readingBytes: number;
  unusedMs: number;
  /** Whether a conversation is admitted by the first pass that reads it. */
  atOnce: boolean;
};
const LIMITS: CacheLimits = {
  bytes: BYTES_MAX,
  readingBytes: READING_BYTES_MAX,
  unusedMs: UNUSED_MS,
  atOnce: false,
};

type Cached = { reading: Reading; bytes: number; usedAt: number };

const keyOf = (projectId: string, conversationId: string) => `${projectId} ${conversationId}`;
/** Keys, or the prefix of all keys of a project. */
type Forgotten = ReadonlySet<string> | string;

/**
 * Readings of recently rebuilt conversations, so that a rebuild reads only new spans. This is only a shortcut: a reading is
 * compared with the database before it is used, so a stale one costs no more than its memory.
 *
 * A conversation is admitted when a second pass reads it: most arrive in one batch, and would only take up memory. When the
 * cache is full, readings that were never used are evicted first, oldest first; after that no new ones are admitted: if more
 * conversations grow in turn than fit, some are served from the cache rather than each evicting the next.
 */
export class ReadingCache {
  // Maps keep insertion order, which here is the order of use: a reading is removed when it is used.
  private readonly unused = new Map<string, Cached>();
  private readonly used = new Map<string, Cached>();
  private readonly seen = new Set<string>();
  private readonly passes = new Set<CachePass>();
  private total = 0;

  private readonly limits: CacheLimits;

  constructor(limits: Partial<CacheLimits> = {}) {
    this.limits = { ...LIMITS, ...limits };
    caches.add(new WeakRef(this));
  }

  /** Memory that the readings take, by their own estimate, in bytes. */
  get bytes(): number {
    return this.total;
  }

  get size(): number {
    return this.unused.size + this.used.size;
  }

  /** Starts a pass, whose readings are cached only once its transaction has been committed. */
  begin(): CachePass {
    const pass = new CachePass(this);
    this.passes.add(pass);
    return pass;
  }

  peek = (key: string): Reading | undefined => (this.used.get(key) ?? this.unused.get(key))?.reading;

  take(key: string): Reading | undefined {
    const cached = this.used.get(key) ?? this.unused.get(key);
    if (!cached) return undefined;
    this.drop(key);
    return cached.reading;
  }

  /** Caches what a pass has read, and drops readings that have been unused for too long. */
  end(pass: CachePass, readings: Iterable<[string, { reading: Reading; again: boolean }]> = []): void {
    this.passes.delete(pass);
    for (const [key, { reading, again }] of readings) this.put(key, reading, again);
    this.dropUnused();
  }

  dropUnused(): void {
    const before = performance.now() - this.limits.unusedMs;
    for (const readings of [this.unused, this.used]) {
      for (const [key, { usedAt }] of readings) {
        if (usedAt > before) break;
        this.drop(key);
      }
    }
  }

  /** Drops readings, including those of passes that have not ended. */
  forget(forgotten: Forgotten): void {
    for (const pass of this.passes) pass.forget(forgotten);
    if (typeof forgotten !== "string") for (const key of forgotten) this.drop(key);
    else for (const key of [...this.unused.keys(), ...this.used.keys()]) if (key.startsWith(forgotten)) this.drop(key);
  }

  private put(key: string, reading: Reading, again: boolean): void {
    if (!again && !this.limits.atOnce && !this.seenBefore(key)) return;
    const bytes = reading.bytes();
    if (bytes > this.limits.readingBytes) return;
    this.drop(key);
    (again ? this.used : this.unused).set(key, { reading, bytes, usedAt: performance.now() });
    this.total += bytes;
    while (this.total > this.limits.bytes) this.drop(this.unused.keys().next().value ?? key);
  }

  private seenBefore(key: string): boolean {
    if (this.seen.has(key)) return true;
    this.seen.add(key);
    for (const oldest of this.seen) {
      if (this.seen.size <= SEEN_MAX) break;
      this.seen.delete(oldest);
    }
    return false;
  }

  private drop(key: string): void {
    for (const readings of [this.unused, this.used]) {
      this.total -= readings.get(key)?.bytes ?? 0;
      readings.delete(key);
    }
  }
}

/** Access to a cache by one pass of the projector. */
export class CachePass {
  private readonly read = new Map<string, { reading: Reading; again: boolean }>();
  private readonly forgotten: Forgotten[] = [];

  constructor(private readonly cache: ReadingCache) {}

  /** Returns a conversation's reading without taking it, for inspection only. */
  peek(projectId: string, conversationId: string): Reading | undefined {
    const key = keyOf(projectId, conversationId);
    return this.read.get(key)?.reading ?? this.cache.peek(key);
  }

  /** Takes a conversation's reading out of the cache to extend it. If that fails halfway, no other pass sees it. */
  take(projectId: string, conversationId: string): Reading | undefined {
    const key = keyOf(projectId, conversationId);
    const reading = this.read.get(key)?.reading ?? this.cache.take(key);
    this.read.delete(key);
    return reading;
  }

  /** Caches a reading when the pass ends. `again`: the reading was taken from the cache. */
  put(projectId: string, conversationId: string, reading: Reading, again: boolean): void {
    this.read.set(keyOf(projectId, conversationId), { reading, again });
  }

  forget(forgotten: Forgotten): void {
    this.forgotten.push(forgotten);
  }

  /** Call once the transaction has been committed. */
  end(): void {
    for (const key of this.read.keys()) {
      if (this.forgotten.some((some) => (typeof some === "string" ? key.startsWith(some) : some.has(key))))
        this.read.delete(key);
    }
    this.cache.end(this, this.read);
  }

  /** Call if the transaction has failed: everything that the pass took and read is dropped. */
  abandon(): void {
    this.cache.end(this);
  }
}

/** The caches of this process. */
const caches = new Set<WeakRef<ReadingCache>>();

/**
 * Drops what this process has cached of conversations that are being erased, or of a whole project, and all parts. Other
 * processes drop it when it has been unused for two minutes.
 */
export function forgetReadings(projectId: string, conversationIds: readonly string[] | "all"): void {
  forgetParts();
  const forgotten =
    conversationIds === "all" ? keyOf(projectId, "") : new Set(conversationIds.map((id) => keyOf(projectId, id)));
  for (const reference of caches) {
    const cache = reference.deref();
    if (!cache) caches.delete(reference);
    else cache.forget(forgotten);
  }
}
