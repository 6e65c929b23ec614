import { initTRPC, TRPCError } from "@trpc/server";
import { recordDatabaseSuccess } from "@/server/platform/database/database-fault";
import type { ErrorCode, FieldError } from "@/server/platform/errors";
import { ServiceError } from "@/server/platform/errors";
import { knownError } from "@/server/platform/known-error";
import { loggable } from "@/server/platform/loggable";
import type { TrpcContext } from "./context";

const TRPC_CODE = {
  invalid: "BAD_REQUEST",
  unauthenticated: "UNAUTHORIZED",
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

/** What a screen can show of an error, beside tRPC's own `code` and `httpStatus`: `error.data` on the client. */
export type ShownError = {
  /** The service's word for it; `internal` when the mistake is ours. */
  reason: ErrorCode | "internal";
  requestId: string | null;
  /** Problems of the input by JSON pointer. */
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
    // The message of a mistake of ours may quote a query.
    message: error.code === "INTERNAL_SERVER_ERROR" ? "Something went wrong on our side." : shape.message,
    data: {
      code: shape.data.code,
      httpStatus: shape.data.httpStatus,
      path: shape.data.path,
      ...shown(error, ctx?.requestId),
    },
  }),
});

/** A service's error in tRPC's words; `undefined` for our own mistakes. */
export function asTrpcError(error: unknown): TRPCError | undefined {
  const known = knownError(error);
  return known && new TRPCError({ code: TRPC_CODE[known.code], message: known.message, cause: known });
}

/** A mistake of ours on its way to a page: Next prints whatever a page throws, and its causes. */
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

/** A cookie rides along from any page, so a change has to be asked for by a page of ours. */
const sameOriginMutations = t.middleware(({ ctx, type, next }) => {
  if (type === "mutation" && !ctx.sameOrigin) {
    throw new ServiceError("forbidden", "Changes are taken from the workbench's own pages only.");
  }
  return next();
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;
export const procedure = t.procedure.use(translateErrors).use(sameOriginMutations);
