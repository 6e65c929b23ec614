import { type ErrorCode, ServiceError } from "@/server/platform/errors";
import { OutboundError, type OutboundStream, retryAfterSeconds } from "@/server/platform/outbound";
import { errorIn } from "../calls/dialect";
import { fieldsOf, parsed, textOf } from "../calls/fields";

const BODY_MAX_BYTES = 64 * 1024;
const MESSAGE_CHARACTERS = 2_000;
/** Some clients wait as long as they are told, and others not at all if that is longer. */
const RETRY_MAX_SECONDS = 60;
const SERVER_ERROR = 500;

/** The endpoint's refusals that are the caller's to mend. Clients repeat a conflict, which is of no use to them. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "invalid",
  404: "not_found",
  408: "timed_out",
  413: "too_large",
  415: "unsupported_media_type",
  422: "unprocessable",
  429: "rate_limited",
};

/** The endpoint's API has nothing for a request, which was not sent: a model with another API may answer it. */
export class UnsupportedByApi extends ServiceError {}

/** What an endpoint says when it refuses a call. */
export type Refusal = { status: number; headers: OutboundStream["headers"]; text: string };

/** Reads the body of a refusal as far as it is of use. */
export async function readRefusal({ status, headers, body }: OutboundStream): Promise<Refusal> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    length += part.length;
    if (length > BODY_MAX_BYTES) break;
  }
  return { status, headers, text: Buffer.concat(parts).subarray(0, BODY_MAX_BYTES).toString("utf8") };
}

/** Returns the error for the caller of a call that the endpoint of a connection has refused, or that `isUnsent`. */
export function refusalOf({ status, headers, text }: Refusal, connection: string, isUnsent = false): ServiceError {
  const json = parsed(text);
  const { code, param } = fieldsOf(fieldsOf(json).error);
  const given = errorIn(json) ?? textOf(fieldsOf(json).message) ?? textOf(fieldsOf(json).detail);
  const said = given === null ? "" : ` ${given.slice(0, MESSAGE_CHARACTERS)}`;
  const retryAfter = retryAfterSeconds(headers["retry-after"]);
  const wait = retryAfter === undefined ? {} : { retryAfter: Math.min(RETRY_MAX_SECONDS, retryAfter) };
  // Without what the endpoint says, which may quote the key.
  if (status === 401) {
    const why = `The endpoint of the connection “${connection}” refused its credential. Check the secret on the Connections page.`;
    return new ServiceError("unprocessable", why);
  }
  const what = `The endpoint of the connection “${connection}” replied with the status ${status}.`;
  if (status >= SERVER_ERROR) {
    // What the endpoint says may quote the request, and must not reach the log.
    const cause = new OutboundError("status", what, { status });
    return new ServiceError("unavailable", `${what}${said}`, { ...wait, cause });
  }
  const name = textOf(param);
  const Refused = isUnsent ? UnsupportedByApi : ServiceError;
  return new Refused(
    CODES[status] ?? (status === 403 || status === 402 ? "unprocessable" : "invalid"),
    given === null ? what : said.trim(),
    {
      ...wait,
      ...(typeof code === "string" && code !== "" ? { openAiCode: code } : {}),
      ...(name === null ? {} : { errors: [{ path: `/${name.replaceAll(".", "/")}`, message: said.trim() }] }),
    },
  );
}
