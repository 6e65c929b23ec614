type Count<Value> = { value: Value; count: number };

/** Returns the counts of known values, in the order of `all`. */
export const known = <Value extends string>(counts: readonly Count<string>[], all: readonly Value[]): Count<Value>[] =>
  all.flatMap((value) => {
    const found = counts.find((one) => one.value === value);
    return found ? [{ value, count: found.count }] : [];
  });
