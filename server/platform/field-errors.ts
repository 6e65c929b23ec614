import type { z } from "zod";
import type { FieldError } from "./errors";

type Issue = z.core.$ZodIssue;

/** Returns a path into an input as a JSON pointer (RFC 6901). */
export const pointerOf = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Returns the union branch with the fewest issues: most likely the one that the caller meant. */
const closest = (branches: readonly (readonly Issue[])[]) =>
  branches.reduce<readonly Issue[] | undefined>(
    (best, issues) => (best === undefined || issues.length < best.length ? issues : best),
    undefined,
  );

function errorsOf(issue: Issue, base: readonly PropertyKey[]): FieldError[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: pointerOf([...path, key]), message: "Unknown field." }));
  }
  if (issue.code === "invalid_union") {
    const nearest = closest(issue.errors)?.flatMap((inner) => errorsOf(inner, path));
    if (nearest?.length) return nearest;
  }
  return [{ path: pointerOf(path), message: issue.message }];
}

/** More than anyone reads. Keeps the response to a hostile body from outgrowing the body. */
const ERRORS_MAX = 500;

/** Returns every problem of an input; each unknown field has its own pointer. */
export const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues.flatMap((issue) => errorsOf(issue, [])).slice(0, ERRORS_MAX);
