// @ts-check

/** An error that the operator can fix; shown as a sentence, without a stack. */
export class OperatorError extends Error {
  /** @override */
  name = "OperatorError";
}

/**
 * Returns the message to print for an error; unexpected errors keep their stack.
 * @param {unknown} error
 */
export function explain(error) {
  if (error instanceof OperatorError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
