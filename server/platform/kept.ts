/**
 * What is made of a frozen object is made once: freezing says that it stays as it is, and that the same one is given to
 * many. Of anything else it is made each time.
 */
export function oncePerKept<V>(make: (value: object) => V) {
  const made = new WeakMap<object, { value: V }>();
  return (given: object): V => {
    if (!Object.isFrozen(given)) return make(given);
    let known = made.get(given);
    if (!known) {
      known = { value: make(given) };
      made.set(given, known);
    }
    return known.value;
  };
}

export const isKept = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.isFrozen(value);
