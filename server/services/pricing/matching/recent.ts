/**
 * A bounded memory of what was looked up lately, a good deal faster than an exact LRU: two maps, and when the newer is
 * full it becomes the older. Holds at most 2 × `max` entries and never drops one of the last `max` used.
 */
export class Recent<V> {
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
