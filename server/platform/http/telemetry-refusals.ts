// Counts refused telemetry in memory. Doors of the web server and of Next count here; a service stores what was counted.
import type { RefusalReason } from "@/db/schema/enumerations";
import { MINUTE_MS, SECOND_MS } from "../durations";
import { networkOf } from "./visitor-network";

/** What is known of a refused request: never its key's secret, its body or its path. */
type Refused = { reason: RefusalReason; keyId: string | null; network: string | null };
/** `ageMs`: time since the last of them. */
export type RefusedCount = Refused & { count: number; ageMs: number };
type Store = (counts: readonly RefusedCount[]) => Promise<void>;

/** Someone who sets up an exporter is looking for the reason. */
const FIRST_STORED_AFTER_MS = SECOND_MS;
const STORED_EVERY_MS = 10 * SECOND_MS;
/** Kinds, keys and networks told apart per minute, so that a flood grows neither memory nor the table. */
const TOLD_APART = 200;
/** `whet_<32 hex digits>_…`: the id is no secret, and readable in a key that was mistyped or revoked. */
const ID_IN_KEY = /^Bearer +whet_([0-9a-f]{32})_/i;

const OTHERS: Refused = { reason: "others", keyId: null, network: null };
const nameOf = ({ reason, keyId, network }: Refused) => `${reason} ${keyId} ${network}`;

/** Returns a counter that passes its counts to `store` soon after the first, and then at most every 10 s. */
export function createRefusalCounter(clock = () => performance.now()) {
  const entries = new Map<string, Refused & { count: number; lastAt: number }>();
  let windowEndsAt = Number.NEGATIVE_INFINITY;
  let storedAt = Number.NEGATIVE_INFINITY;
  let store: Store | undefined;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;

  function add(refused: Refused, count: number, at: number) {
    const name = nameOf(refused);
    const isKnown = entries.has(name) || entries.size < TOLD_APART;
    const key = isKnown ? name : nameOf(OTHERS);
    const entry = entries.get(key) ?? { ...(isKnown ? refused : OTHERS), count: 0, lastAt: at };
    entry.count += count;
    entry.lastAt = Math.max(entry.lastAt, at);
    entries.set(key, entry);
  }

  function schedule() {
    if (timer || !store) return;
    const wait = Math.max(FIRST_STORED_AFTER_MS, storedAt + STORED_EVERY_MS - clock());
    timer = setTimeout(() => void flush(), wait);
    timer.unref();
  }

  async function storeCounted(keep: Store) {
    const now = clock();
    storedAt = now;
    const taken = [...entries.values()].filter(({ count }) => count > 0).map((entry) => ({ ...entry }));
    // What was told apart stays so for a minute: otherwise each flush could add as many rows again.
    if (now >= windowEndsAt) {
      entries.clear();
      windowEndsAt = now + MINUTE_MS;
    } else for (const entry of entries.values()) entry.count = 0;
    if (taken.length === 0) return;
    try {
      await keep(taken.map(({ lastAt, ...counted }) => ({ ...counted, ageMs: Math.round(now - lastAt) })));
    } catch {
      // The database is away, which others report.
      for (const { count, lastAt, ...refused } of taken) add(refused, count, lastAt);
      schedule();
    }
  }

  /** Stores what was counted, also what is counted while it is being stored. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    await storing;
    if (!store) return;
    storing = storeCounted(store).finally(() => {
      storing = undefined;
    });
    await storing;
  }

  return {
    count(reason: RefusalReason, { authorization, address }: { authorization: string | null; address: string | null }) {
      const id = authorization === null ? undefined : ID_IN_KEY.exec(authorization)?.[1];
      const network = address === null ? null : networkOf(address);
      add({ reason, keyId: id === undefined ? null : `key_${id}`, network }, 1, clock());
      schedule();
    },
    /** Counts for a key that was verified. */
    countOfKey(reason: RefusalReason, keyId: string) {
      add({ reason, keyId, network: null }, 1, clock());
      schedule();
    },
    storeWith(given: Store) {
      store = given;
      if (entries.size > 0) schedule();
    },
    flush,
    /** Stores no more, because the database goes away. */
    stop() {
      clearTimeout(timer);
      timer = undefined;
      store = undefined;
    },
  };
}

// On globalThis, because the web server and Next's route handlers are different bundles of one process.
const shared = globalThis as { whetstoneRefusals?: ReturnType<typeof createRefusalCounter> };
shared.whetstoneRefusals ??= createRefusalCounter();

/** The refusals of this process. */
export const refusals = shared.whetstoneRefusals;
