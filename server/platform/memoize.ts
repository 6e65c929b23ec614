/**
 * Memoizes `make` per frozen object: freezing promises that the object does not change and that callers share it. For any
 * other object `make` runs each time.
 */
export function memoizeByFrozenObject<V>(make: (value: object) => V) {
  const cache = new WeakMap<object, { value: V }>();
  return (value: object): V => {
    if (!Object.isFrozen(value)) return make(value);
    let cached = cache.get(value);
    if (!cached) {
      cached = { value: make(value) };
      cache.set(value, cached);
    }
    return cached.value;
  };
}

export const isFrozenObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.isFrozen(value);
