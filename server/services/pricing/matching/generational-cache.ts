/**
 * A bounded cache with two generations, much faster than an exact LRU: when the newer map is full it replaces the older.
 * Holds at most 2 × `max` entries and never evicts one of the last `max` used.
 */
export class GenerationalCache<V> {
  #newer = new Map<string, V>();
  #older = new Map<string, V>();

  constructor(private readonly max: number) {}

  get(key: string): V | undefined {
    const value = this.#newer.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, value: V) {
    if (this.#newer.size >= this.max) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }
}
