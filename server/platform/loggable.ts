/** An error as it may be written to a log: database errors name their query, never the values in it. */
export function loggable(error: unknown): unknown {
  if (!(error instanceof Error) || !("query" in error) || !("params" in error)) return error;
  const cause = error.cause instanceof Error ? error.cause : undefined;
  const clean = new Error(`${cause?.message ?? "A query failed"} in: ${String(error.query)}`);
  if (cause?.stack) clean.stack = cause.stack;
  return clean;
}
