import type { Problem } from "./generated.js";

/** A request that the server refused or failed. `code` is the kind of problem, for programs. */
export class WhetstoneError extends Error {
  /** The HTTP status. */
  readonly status: number;
  readonly code: Problem["code"] | "unknown";
  /** What is wrong with the input, by JSON pointer. */
  readonly errors: readonly { path: string; message: string }[];
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Partial<Problem> & { retryAfter?: number }) {
    super(problem.detail ?? `The server returned ${status}.`);
    this.name = new.target.name;
    this.status = status;
    this.code = problem.code ?? "unknown";
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId;
    this.retryAfter = problem.retryAfter;
  }
}

/** 400: the input breaks the schema; `errors` says where. */
export class InvalidError extends WhetstoneError {}
/** 401: the API key is missing, wrong or revoked. */
export class UnauthenticatedError extends WhetstoneError {}
/** 403: the API key lacks the capability. */
export class ForbiddenError extends WhetstoneError {}
/** 404: it does not exist, or belongs to another project. */
export class NotFoundError extends WhetstoneError {}
/** 409: it conflicts with the current state. */
export class ConflictError extends WhetstoneError {}
/** 422: understood, but it can't be done. */
export class UnprocessableError extends WhetstoneError {}
/** 429: too many requests, even after the retries. */
export class RateLimitedError extends WhetstoneError {}
/** 503: temporarily unavailable, even after the retries. */
export class UnavailableError extends WhetstoneError {}

const BY_STATUS: Readonly<Record<number, typeof WhetstoneError>> = {
  400: InvalidError,
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitedError,
  503: UnavailableError,
};

/** Returns the error for a status and the body that came with it. */
export const errorOf = (status: number, body: unknown): WhetstoneError =>
  new (BY_STATUS[status] ?? WhetstoneError)(status, typeof body === "object" && body !== null ? body : {});
