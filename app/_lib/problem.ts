import type { FieldError } from "@/server/platform/errors";

/** A failure as shown on screen, whichever API reported it. */
export type Problem = {
  title: string;
  detail: string;
  requestId: string | null;
  code: string;
  status: number | null;
  /** What is wrong with the input, by JSON pointer. */
  errors: readonly FieldError[];
};

const TITLES: Record<string, string> = {
  UNAUTHORIZED: "You are signed out",
  FORBIDDEN: "You don’t have permission to do this",
  NOT_FOUND: "Not found",
  TOO_MANY_REQUESTS: "Too many requests",
  CONFLICT: "This has changed in the meantime",
  BAD_REQUEST: "This request is not valid",
  SERVICE_UNAVAILABLE: "Temporarily unavailable",
  OFFLINE: "The server could not be reached",
};

const field = (source: unknown, key: string): unknown =>
  typeof source === "object" && source !== null && key in source ? (source as Record<string, unknown>)[key] : undefined;
const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);

const fieldErrorsIn = (list: unknown): FieldError[] =>
  (Array.isArray(list) ? list : []).flatMap((one) => {
    const [path, message] = [field(one, "path"), text(field(one, "message"))];
    return typeof path === "string" && message !== null ? [{ path, message }] : [];
  });

export function problemOf(error: unknown): Problem {
  const data = field(error, "data");
  const nested = field(data, "problem");
  const code = text(field(data, "code")) ?? (data === undefined ? "OFFLINE" : "INTERNAL_SERVER_ERROR");
  const status = field(data, "httpStatus");
  const message = text(field(error, "message"));
  return {
    title: text(field(nested, "title")) ?? TITLES[code] ?? "Something went wrong",
    detail:
      code === "OFFLINE"
        ? "Check that Whetstone is running and that you are connected, then try again."
        : (text(field(nested, "detail")) ?? message ?? "Try again. If the problem persists, check the server log."),
    requestId: text(field(nested, "requestId")) ?? text(field(data, "requestId")),
    code,
    status: typeof status === "number" ? status : null,
    errors: fieldErrorsIn(field(data, "errors")),
  };
}

/** Returns the problem with one field, by its JSON pointer; `null` if the error is not about it. */
export const fieldProblem = (error: unknown, path: string): string | null =>
  problemOf(error).errors.find((one) => one.path === path)?.message ?? null;
