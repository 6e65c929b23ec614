/** The calls of a minute. */
export type MinuteOfCalls = {
  minute: number;
  calls: number;
  errors: number;
  unpriced: number;
  cost: number;
  /** Calls by bucket of their duration. */
  durations: Readonly<Record<string, number>> | null;
};

const BUCKETS = 251;
const GROWTH = 1.1;

/** Sums over the minutes of a window that moves forward, so that each minute is added and removed once. */
export class CallWindow {
  calls = 0;
  errors = 0;
  unpriced = 0;
  cost = 0;
  readonly #durations = new Int32Array(BUCKETS);
  readonly #minutes: readonly MinuteOfCalls[];
  #first = 0;
  #end = 0;

  /** `minutes` are in order. */
  constructor(minutes: readonly MinuteOfCalls[]) {
    this.#minutes = minutes;
  }

  /** Moves to the minutes `[from, to]`, both not before the last. */
  moveTo(from: number, to: number) {
    for (; this.#end < this.#minutes.length && this.#minutes[this.#end]!.minute <= to; this.#end++)
      this.#add(this.#end, 1);
    for (; this.#first < this.#end && this.#minutes[this.#first]!.minute < from; this.#first++)
      this.#add(this.#first, -1);
    // Otherwise rounding would accumulate over weeks.
    if (this.#first === this.#end) this.cost = 0;
  }

  /** Returns the duration (ms) that a share of the calls does not exceed, within 5 %. Call only with calls. */
  quantile(share: number): number {
    let left = Math.ceil(this.calls * share);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      left -= this.#durations[bucket]!;
      if (left <= 0) return bucket === 0 ? 0 : GROWTH ** (bucket - 0.5);
    }
    return GROWTH ** BUCKETS;
  }

  #add(index: number, sign: 1 | -1) {
    const { calls, errors, unpriced, cost, durations } = this.#minutes[index]!;
    this.calls += sign * calls;
    this.errors += sign * errors;
    this.unpriced += sign * unpriced;
    this.cost += sign * cost;
    for (const bucket in durations) this.#durations[Number(bucket)]! += sign * durations[bucket]!;
  }
}
