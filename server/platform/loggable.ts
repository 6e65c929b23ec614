/** A chain of causes that is longer than this is a loop. */
const CAUSES = 8;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Where a rule of the schema was broken, and by which: names, never values. */
const NAMED = ["schema_name", "table_name", "column_name", "constraint_name"] as const;
const FRAME = /^\s+at /;

const fieldOf = (error: Error, name: string): unknown => (name in error ? Reflect.get(error, name) : undefined);

/** Whether Postgres itself said it: its code, and the severity that no error of a client has. */
const isOfPostgres = (error: Error) =>
  SQLSTATE.test(String(fieldOf(error, "code"))) && typeof fieldOf(error, "severity") === "string";

/** Postgres's code and the names of what it is about: its sentence, and its detail more so, may quote what was stored. */
function conditionOf(error: Error) {
  const names = NAMED.flatMap((name) => {
    const value = fieldOf(error, name);
    return typeof value === "string" ? [`${name.replace("_name", "")} ${value}`] : [];
  });
  const where = names.length > 0 ? ` (${names.join(", ")})` : "";
  return `SQLSTATE ${String(fieldOf(error, "code"))}${where}`;
}

/** Returns what Postgres refused, by code and names, without its words; `undefined` where it was not Postgres. */
export function postgresCondition(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return isOfPostgres(error) ? conditionOf(error) : postgresCondition(error.cause);
}

/** A failed query of Drizzle's, whose message goes on with the values. */
const isQuery = (error: Error) => "query" in error && "params" in error;

/** On one line, as logs have it. */
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

/** The same error with other causes: what it says itself, and of which class it is, stays. */
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
  if (isOfPostgres(error)) {
    return clean(conditionOf(error) + inQuery(error), error);
  }
  if (!isQuery(error)) return ofClean(error, depth);
  const { cause } = error;
  if (!(cause instanceof Error)) return clean(`A query failed${inQuery(error)}`, error);
  const why = isOfPostgres(cause) ? conditionOf(cause) : messageOf(cleaned(cause, depth + 1));
  return clean(why + inQuery(error), cause);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/**
 * Returns an error as it may be logged or stored: one of the database names its SQLSTATE, its constraint and table, and
 * its query, never the values in it, wherever in the chain of causes it stands.
 */
export const loggable = (error: unknown): unknown => cleaned(error, 0);
