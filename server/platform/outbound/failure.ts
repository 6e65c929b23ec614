import { errors } from "undici";
import { errorCodes } from "../logging/known-error";
import { OutboundError, type OutboundReason } from "./outbound-error";

type FailureKind = { codes: RegExp; reason: OutboundReason; message: (host: string) => string };

/** Error codes of undici and Node, in matching order, with our reasons and messages. */
const FAILURES: readonly FailureKind[] = [
  {
    codes: /^(CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED_|UNABLE_TO_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|EPROTO$)/,
    reason: "tls",
    message: (host) => `${host} has no trusted certificate for this name, or does not speak TLS on this port.`,
  },
  {
    codes: /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/,
    reason: "timeout",
    message: (host) => `${host} did not reply in time.`,
  },
  {
    codes: /^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/,
    reason: "too_large",
    message: (host) => `${host} replied with headers that are too large.`,
  },
  {
    codes:
      /^(HTTPParserError$|HPE_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|BROTLI_|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$|ERR_STREAM_PREMATURE_CLOSE$)/,
    reason: "unreadable",
    message: (host) => `The reply of ${host} is not valid HTTP.`,
  },
  {
    codes: /^(UND_ERR_INVALID_ARG|ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE)$/,
    reason: "invalid",
    message: () => "The request has a character that HTTP does not allow, for example a line break in the credential.",
  },
  {
    codes: /^(ENOTFOUND|ENODATA|EAI_)/,
    reason: "unreachable",
    message: (host) => `The name ${host} cannot be resolved.`,
  },
  { codes: /^ECONNREFUSED$/, reason: "unreachable", message: (host) => `${host} refuses connections on this port.` },
  {
    codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    reason: "unreachable",
    message: (host) => `${host} closed the connection.`,
  },
  { codes: /./, reason: "unreachable", message: (host) => `${host} cannot be reached.` },
];

/**
 * Maps a network failure to an `OutboundError` without its cause, whose message may contain addresses and quote the other
 * side. Errors without a code are bugs and returned unchanged.
 */
export function failureOf(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error;
  const parser = error instanceof errors.HTTPParserError ? [error.name] : []; // has a code only sometimes
  const codes = [...errorCodes(error), ...parser].filter(Boolean);
  const line = FAILURES.find((one) => codes.some((code) => one.codes.test(code)));
  return line ? new OutboundError(line.reason, line.message(host)) : error;
}
