import { DrizzleQueryError } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { hasRecentFault, recordDatabaseSuccess } from "../database/database-fault";
import { ServiceError } from "../errors";
import { knownError } from "../logging/known-error";
import { fromThreadError, toThreadError } from "./thread-error";

beforeEach(() => recordDatabaseSuccess("write"));

/** The error as another thread gets it. */
const sent = (error: unknown) => fromThreadError(structuredClone(toThreadError(error)));

const failedQuery = (code: string, fields: object = {}) =>
  new DrizzleQueryError(
    "insert into spans …",
    ["a secret"],
    Object.assign(new Error("failed: a secret"), { code, severity: "ERROR", ...fields }),
  );

test("a service error arrives with its code, message, errors and Retry-After", () => {
  const error = new ServiceError("rate_limited", "Later.", { retryAfter: 7, errors: [{ path: "/a", message: "No." }] });
  const arrived = sent(error);
  expect(arrived).toBeInstanceOf(ServiceError);
  expect(arrived).toMatchObject({ code: "rate_limited", message: "Later.", retryAfter: 7, errors: error.errors });
  expect(sent(new Error("in Drizzle", { cause: error }))).toMatchObject({ code: "rate_limited", retryAfter: 7 });
});

test("a fault of the database counts in the thread that it arrives in", () => {
  const task = structuredClone(toThreadError(failedQuery("53100")));
  recordDatabaseSuccess("write");
  expect(fromThreadError(task)).toMatchObject({ code: "unavailable", retryAfter: 2 });
  expect(hasRecentFault("full")).toBe(true);
});

test("a deleted project and text that cannot be stored are the caller's errors", () => {
  expect(sent(failedQuery("23503", { constraint_name: "spans_project_id_projects_id_fk" }))).toMatchObject({
    code: "not_found",
  });
  expect(sent(failedQuery("22021"))).toMatchObject({ code: "invalid" });
});

test("a bug stays one, and stored values are left behind", () => {
  const bug = sent(new TypeError("undefined is not a function"));
  expect(bug).toBeInstanceOf(TypeError);
  expect(knownError(bug)).toBeUndefined();
  const query = sent(failedQuery("23505", { constraint_name: "spans_pkey" }));
  expect(query).toMatchObject({ message: expect.stringContaining("23505 (constraint spans_pkey)") });
  expect(JSON.stringify([toThreadError(failedQuery("23505")), String((query as Error).stack)])).not.toContain("secret");
});
