// @ts-check

/** Something a person can put right: shown as the sentence it is, without a stack. */
export class OperatorError extends Error {
  /** @override */
  name = "OperatorError";
}

/**
 * What goes wrong at start is said in words; only what we did not foresee shows where it happened.
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof OperatorError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
