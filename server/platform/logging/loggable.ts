/** A longer chain of causes is a cycle. */
const CAUSES = 8;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Names of the violated constraint and its location, never values. */
const NAMED = ["schema_name", "table_name", "column_name", "constraint_name"] as const;
const FRAME = /^\s+at /;

const fieldOf = (error: Error, name: string): unknown => (name in error ? Reflect.get(error, name) : undefined);

/** Errors of the server have a SQLSTATE and, unlike those of the client, a severity. */
const isPostgresError = (error: Error) =>
  SQLSTATE.test(String(fieldOf(error, "code"))) && typeof fieldOf(error, "severity") === "string";

/** The SQLSTATE and names only: Postgres's message and detail may quote stored values. */
function conditionOf(error: Error) {
  const names = NAMED.flatMap((name) => {
    const value = fieldOf(error, name);
    return typeof value === "string" ? [`${name.replace("_name", "")} ${value}`] : [];
  });
  const where = names.length > 0 ? ` (${names.join(", ")})` : "";
  return `SQLSTATE ${String(fieldOf(error, "code"))}${where}`;
}

/** Returns the SQLSTATE and names of a Postgres error, without its message; `undefined` for any other error. */
export function postgresCondition(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return isPostgresError(error) ? conditionOf(error) : postgresCondition(error.cause);
}

/** A failed query of Drizzle's, whose message includes the parameters. */
const isQuery = (error: Error) => "query" in error && "params" in error;

/** The query on one line. */
function inQuery(error: Error) {
  const query = fieldOf(error, "query");
  return typeof query === "string" ? ` in: ${query.trim().replaceAll(/\s+/g, " ")}` : "";
}

const framesOf = (error: Error) => (error.stack ?? "").split("\n").filter((line) => FRAME.test(line));

function clean(message: string, from: Error) {
  const error = Object.assign(new Error(message), "code" in from ? { code: from.code } : {});
  error.stack = [`${error.name}: ${message}`, ...framesOf(from)].join("\n");
  return error;
}

/** Returns a copy of the error with other causes; its message and class stay. */
const withCauses = (error: Error, causes: { cause?: unknown; errors?: unknown[] }): Error =>
  Object.assign(Object.create(Object.getPrototypeOf(error), Object.getOwnPropertyDescriptors(error)), causes);

function ofClean(error: Error, depth: number): Error {
  const cause = cleaned(error.cause, depth + 1);
  const given = error instanceof AggregateError ? error.errors : [];
  const errors = given.map((one) => cleaned(one, depth + 1));
  if (cause === error.cause && errors.every((one, n) => one === given[n])) return error;
  return withCauses(error, { ...(cause === error.cause ? {} : { cause }), ...(given.length > 0 ? { errors } : {}) });
}

function cleaned(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return error;
  if (depth > CAUSES) return undefined;
  if (isPostgresError(error)) {
    return clean(conditionOf(error) + inQuery(error), error);
  }
  if (!isQuery(error)) return ofClean(error, depth);
  const { cause } = error;
  if (!(cause instanceof Error)) return clean(`A query failed${inQuery(error)}`, error);
  const why = isPostgresError(cause) ? conditionOf(cause) : messageOf(cleaned(cause, depth + 1));
  return clean(why + inQuery(error), cause);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Returns an error that is safe to log or store: database errors anywhere in its chain of causes are reduced to SQLSTATE,
 * constraint, table and query text, never parameter values.
 */
export const loggable = (error: unknown): unknown => cleaned(error, 0);
