import { AISDKError, APICallError, InvalidArgumentError, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { ServiceError } from "@/server/platform/errors";
import { OutboundError } from "@/server/platform/outbound";
import type { ModelDialect } from "./dialect";
import { Unsupported } from "./unsupported";

/** A service's refusal as the OpenAI API would reply. */
export type Refused = { status: number; headers: Record<string, string>; body: ReturnType<typeof errorBody> };

const MESSAGE_CHARACTERS = 4_000;
const REFUSED = 400;
const SERVER_ERROR = 500;

/** What OpenAI calls errors of a status. */
const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "invalid_request_error",
  422: "invalid_request_error",
  429: "rate_limit_error",
};

/** The words of services for a request that is longer than the model's context. */
const TOO_LONG =
  /prompt is too long|input token count.*exceeds the maximum|exceed(?:s|ed)? (?:the )?context (?:limit|window)/i;

/** Throws an error of the call itself, rather than of the service's reply. */
function requireReply(error: unknown): void {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 10; cause = cause.cause, depth++) {
    if (cause instanceof OutboundError || cause instanceof ServiceError) throw cause;
  }
}

const unreadable = (host: string) => new OutboundError("unreadable", `${host} sent an unexpected reply.`);

/** Throws an error in a stream that the service has not reported itself. */
export function requireRefusal(error: unknown, host: string): void {
  requireReply(error);
  const isReported = typeof error === "object" && error !== null && ("statusCode" in error || "data" in error);
  if (!isReported) throw unreadable(host);
}

/** Marks refusals of what an API has nothing for: nothing was sent, and another API may have it. */
export const UNSUPPORTED_HEADER = "x-whetstone-unsupported";
const UNSENT = { [UNSUPPORTED_HEADER]: "1" };

type Said = Partial<Record<"message" | "type" | "status" | "statusCode" | "data" | "error", unknown>>;
const fieldsOf = (value: unknown): Said => (typeof value === "object" && value !== null ? (value as Said) : {});
const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** Returns the body of OpenAI's errors for what a service says, with the service's own name of it as the code. */
export function errorBody(error: unknown, status = statusOf(error)) {
  const said = fieldsOf(error);
  const named = fieldsOf(fieldsOf(said.data).error ?? said.data);
  const message = (textOf(said.message) ?? "").slice(0, MESSAGE_CHARACTERS);
  const own = textOf(named.type) ?? textOf(named.status) ?? textOf(said.type) ?? null;
  const type =
    (status !== null && TYPES[status]) ||
    (status === null || status >= SERVER_ERROR ? "server_error" : "invalid_request_error");
  const code = TOO_LONG.test(message) ? "context_length_exceeded" : own;
  return { error: { message, type, param: null as string | null, code } };
}

function statusOf(error: unknown): number | null {
  const { statusCode } = fieldsOf(error);
  return typeof statusCode === "number" ? statusCode : null;
}

/** Returns what the caller gets in place of an answer. Throws what is not a refusal: a call that failed on its way, or a fault of ours. */
export function refusedBy(error: unknown, host: string, { refusedAs }: Pick<ModelDialect, "refusedAs">): Refused {
  requireReply(error);
  if (error instanceof Unsupported) {
    const { message, param } = error;
    const said = { message, type: "invalid_request_error", param, code: "unsupported_parameter" };
    return { status: REFUSED, headers: UNSENT, body: { error: said } };
  }
  if (UnsupportedFunctionalityError.isInstance(error) || InvalidArgumentError.isInstance(error)) {
    return { status: REFUSED, headers: UNSENT, body: errorBody(error, REFUSED) };
  }
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (APICallError.isInstance(error) && status !== undefined && status >= REFUSED) {
    const wait = error.responseHeaders?.["retry-after"];
    const told = refusedAs?.(status, error.responseBody ?? "") ?? status;
    return { status: told, headers: wait === undefined ? {} : { "retry-after": wait }, body: errorBody(error, told) };
  }
  if (AISDKError.isInstance(error)) throw unreadable(host);
  throw error;
}
