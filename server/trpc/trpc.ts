import { initTRPC, TRPCError } from "@trpc/server";
import { recordDatabaseSuccess } from "@/server/platform/database/database-fault";
import type { ErrorCode, FieldError } from "@/server/platform/errors";
import { ServiceError } from "@/server/platform/errors";
import { knownError } from "@/server/platform/logging/known-error";
import { loggable } from "@/server/platform/logging/loggable";
import type { TrpcContext } from "./context";

const TRPC_CODE = {
  invalid: "BAD_REQUEST",
  unauthenticated: "UNAUTHORIZED",
  budget_exceeded: "PAYMENT_REQUIRED",
  forbidden: "FORBIDDEN",
  not_found: "NOT_FOUND",
  method_not_allowed: "METHOD_NOT_SUPPORTED",
  timed_out: "TIMEOUT",
  conflict: "CONFLICT",
  too_large: "PAYLOAD_TOO_LARGE",
  unsupported_media_type: "UNSUPPORTED_MEDIA_TYPE",
  range_not_satisfiable: "BAD_REQUEST",
  unprocessable: "UNPROCESSABLE_CONTENT",
  rate_limited: "TOO_MANY_REQUESTS",
  not_implemented: "NOT_IMPLEMENTED",
  unavailable: "SERVICE_UNAVAILABLE",
} as const satisfies Record<ErrorCode, TRPCError["code"]>;

/** What screens can show of an error, in `error.data` next to tRPC's own `code` and `httpStatus`. */
export type ShownError = {
  /** The service's error code; `internal` for bugs. */
  reason: ErrorCode | "internal";
  requestId: string | null;
  /** Field errors by JSON pointer. */
  errors: readonly FieldError[];
  /** Seconds. */
  retryAfter: number | null;
};

const shown = (error: TRPCError, requestId: string | undefined): ShownError => {
  const known = error.cause instanceof ServiceError ? error.cause : undefined;
  return {
    reason:
      known?.code ?? (error.code === "NOT_FOUND" ? "not_found" : error.code === "BAD_REQUEST" ? "invalid" : "internal"),
    requestId: requestId ?? null,
    errors: known?.errors ?? [],
    retryAfter: known?.retryAfter ?? null,
  };
};

const t = initTRPC.context<TrpcContext>().create({
  errorFormatter: ({ shape, error, ctx }) => ({
    ...shape,
    // The message of an internal error may quote a query.
    message: error.code === "INTERNAL_SERVER_ERROR" ? "Something went wrong on our side." : shape.message,
    data: {
      code: shape.data.code,
      httpStatus: shape.data.httpStatus,
      path: shape.data.path,
      ...shown(error, ctx?.requestId),
    },
  }),
});

/** Returns the tRPC error for a service error; `undefined` for bugs. */
export function asTrpcError(error: unknown): TRPCError | undefined {
  const known = knownError(error);
  return known && new TRPCError({ code: TRPC_CODE[known.code], message: known.message, cause: known });
}

/** Strips query values from an internal error: Next prints whatever a page throws, with its causes. */
function withoutValues(error: TRPCError): TRPCError {
  const cause = loggable(error.cause);
  return cause === error.cause ? error : new TRPCError({ code: error.code, message: "A query failed.", cause });
}

const translateErrors = t.middleware(async ({ next, type }) => {
  const result = await next();
  if (result.ok) {
    recordDatabaseSuccess(type === "mutation" ? "write" : "read");
    return result;
  }
  throw asTrpcError(result.error.cause) ?? withoutValues(result.error);
});

/** Browsers attach cookies to cross-site requests, so mutations must be same-origin. */
const sameOriginMutations = t.middleware(({ ctx, type, next }) => {
  if (type === "mutation" && !ctx.sameOrigin) {
    throw new ServiceError("forbidden", "Changes are accepted from the workbench's own pages only.");
  }
  return next();
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;
export const procedure = t.procedure.use(translateErrors).use(sameOriginMutations);
