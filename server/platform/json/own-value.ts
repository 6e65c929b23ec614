/**
 * Returns the value of an object's own key; `undefined` for any other. For keys that come from outside: every object also has
 * `constructor`, `toString` and others.
 */
export const ownValue = <Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined;
