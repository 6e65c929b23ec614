import { ServiceError } from "@/server/platform/errors";
import { percentile } from "../lib/machine";
import type { Read } from "./reads";
import { openWorld, type Query, type World } from "./world";

/** Calls per warm figure. */
const CALLS = 60;
/** Reads far above the bound get fewer calls. */
const PATIENCE_MS = 4_000;

/** `call`: index of the read's call that issued the statement. */
export type Measured = {
  read: Read;
  first: number;
  warm: number;
  generic: number;
  bytes: number;
  queries: (Query & { call: number })[];
};

/**
 * Measures every read through its service: each distinct call once (`first`: only earlier reads have warmed the
 * server's buffers), then all of them in turn (`warm`), and the same with generic plans (`generic`), as for prepared
 * statements. Milliseconds, p95. Reads of things that the data set does not have, or of services that are not connected, are
 * left out.
 */
export async function measure(
  url: string,
  reads: readonly Read[],
  tell: (measured: Measured) => void,
): Promise<Measured[]> {
  const world = await openWorld(url);
  const generic = await openWorld(url, { genericPlans: true });
  try {
    const all: Measured[] = [];
    for (const read of reads) {
      const measured = await measureOne(read, world, generic).catch(withoutService);
      if (!measured) continue;
      all.push(measured);
      tell(measured);
    }
    return all;
  } finally {
    await Promise.all([world.close(), generic.close()]);
  }
}

/** Leaves out a read of a service that is not connected here, such as a trainer; throws any other error. */
function withoutService(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.code === "not_implemented")) throw error;
}

async function measureOne(read: Read, world: World, generic: World): Promise<Measured | undefined> {
  const calls = await read.calls(world);
  if (calls.length === 0) return undefined;
  const queries: Measured["queries"] = [];
  const first: number[] = [];
  let bytes = 0;
  for (const [index, call] of calls.entries()) {
    const heard = await world.listen(async () => {
      const begun = performance.now();
      const reply = await call();
      first.push(performance.now() - begun);
      bytes = Math.max(bytes, JSON.stringify(reply ?? null).length);
    });
    queries.push(...heard.map((statement) => ({ ...statement, call: index })));
  }
  const repeats = read.payload ? 3 : CALLS;
  const warm = await timed(calls, repeats);
  const genericCalls = await read.calls(generic);
  await timed(genericCalls, genericCalls.length);
  const p95 = (times: readonly number[]) => percentile(times, 0.95);
  return { read, first: p95(first), warm: p95(warm), generic: p95(await timed(genericCalls, repeats)), bytes, queries };
}

async function timed(calls: readonly (() => Promise<unknown>)[], repeats: number) {
  const times: number[] = [];
  const begun = performance.now();
  for (let n = 0; n < repeats && performance.now() - begun < PATIENCE_MS; n++) {
    const askedAt = performance.now();
    await calls[n % calls.length]!();
    times.push(performance.now() - askedAt);
  }
  return times;
}
