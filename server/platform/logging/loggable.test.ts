import { DrizzleQueryError } from "drizzle-orm/errors";
import postgres from "postgres";
import { expect, test, vi } from "vitest";
import { logger } from "./log";
import { loggable } from "./loggable";

const VALUE = "ann@example.com";

/** An error as Postgres reports it: the value is in the detail and, with other codes, in the message too. */
const ofPostgres = () =>
  Object.assign(new Error(`duplicate key value: "${VALUE}"`), {
    name: "PostgresError",
    severity: "ERROR",
    code: "23505",
    detail: `Key (lower(email))=(${VALUE}) already exists.`,
    table_name: "users",
    constraint_name: "users_email",
    query: "insert into users values ($1)",
    parameters: [VALUE],
  });
const ofDrizzle = (cause: Error = ofPostgres()) =>
  new DrizzleQueryError("insert into users values ($1)", [VALUE], cause);

/** Returns everything that a logger, `console.error` or JSON could show of an error. */
function shown(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 5) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => JSON.stringify(Reflect.get(error, name)) ?? "");
  return [error.message, error.stack, ...own, shown(error.cause, depth + 1)].join("\n");
}

test.each([
  ["of Postgres", ofPostgres()],
  ["of a query", ofDrizzle()],
  ["that a query caused", new Error("The job failed.", { cause: ofDrizzle() })],
  ["of several", new AggregateError([ofDrizzle(), ofPostgres()], "Two failed.")],
])("an error %s is logged with its SQLSTATE and without its values", (_, error) => {
  const safe = loggable(error);
  expect(shown(safe)).not.toContain(VALUE);
  const told = safe instanceof AggregateError ? safe.errors.map((one) => shown(one)).join("\n") : shown(safe);
  expect(told).not.toContain(VALUE);
  expect(told).toContain("SQLSTATE 23505 (table users, constraint users_email) in: insert into users values ($1)");
});

test("an enclosing error keeps its message, class and fields", () => {
  class Retry extends Error {
    retryAfter = 5;
  }
  const safe = loggable(new Retry("Told later.", { cause: ofPostgres() }));
  expect(safe).toBeInstanceOf(Retry);
  expect(safe).toMatchObject({ message: "Told later.", retryAfter: 5 });
});

test("a query that could not reach the database is logged with the reason and without its values", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });
  const safe = loggable(ofDrizzle(refused));
  expect(safe).toMatchObject({ message: expect.stringContaining("ECONNREFUSED"), code: "ECONNREFUSED" });
  expect(shown(safe)).not.toContain(VALUE);
});

test("any other error is left as it is", () => {
  const error = new Error("Out of range.", { cause: new TypeError("no") });
  expect(loggable(error)).toBe(error);
  expect(loggable("text")).toBe("text");
});

test("an error of postgres.js is recognised by its fields", () => {
  const error = Object.assign(new postgres.PostgresError("no"), { code: "22P02", severity: "ERROR" });
  expect(loggable(error)).toMatchObject({ message: "SQLSTATE 22P02" });
});

test("the logger hides the values of an error that the caller did not sanitise", () => {
  Object.assign(process.env, {
    DATABASE_URL: "postgres://127.0.0.1/x",
    WHETSTONE_SECRET: "x".repeat(32),
    LOG_LEVEL: "debug",
  });
  const lines: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  logger("jobs").error({ err: new Error("A job failed.", { cause: ofDrizzle() }) }, "Told.");
  spy.mockRestore();
  expect(lines.join("")).toContain("SQLSTATE 23505");
  expect(lines.join("")).not.toContain(VALUE);
});
