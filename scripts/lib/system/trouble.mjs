// @ts-check

/** Something a person can put right: shown as the sentence it is, without a stack. */
export class Trouble extends Error {
  /** @override */
  name = "Trouble";
}

/**
 * What goes wrong at start is said in words; only what we did not foresee shows where it happened.
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof Trouble) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
