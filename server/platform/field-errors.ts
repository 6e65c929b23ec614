import type { z } from "zod";
import type { FieldError } from "./errors";

type Issue = z.core.$ZodIssue;

/** A JSON pointer (RFC 6901) of a path into an input. */
export const pointerOf = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The branch that came closest is the one that its sender meant. */
const closest = (branches: readonly (readonly Issue[])[]) =>
  branches.reduce<readonly Issue[] | undefined>(
    (best, issues) => (best === undefined || issues.length < best.length ? issues : best),
    undefined,
  );

function errorsOf(issue: Issue, base: readonly PropertyKey[]): FieldError[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: pointerOf([...path, key]), message: "This field is not known here." }));
  }
  if (issue.code === "invalid_union") {
    const nearest = closest(issue.errors)?.flatMap((inner) => errorsOf(inner, path));
    if (nearest?.length) return nearest;
  }
  return [{ path: pointerOf(path), message: issue.message }];
}

/** More than anyone reads: the answer to a hostile body should not be larger than the body. */
const ERRORS_TOLD = 500;

/** Every problem of an input, each unknown field by its own pointer. */
export const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues.flatMap((issue) => errorsOf(issue, [])).slice(0, ERRORS_TOLD);
