import { errors } from "undici";
import { errorCodes } from "../known-error";
import { OutboundError, type OutboundReason } from "./outbound-error";

type Line = { codes: RegExp; reason: OutboundReason; says: (host: string) => string };

/** What undici and Node call it, in the order in which they are looked at, and what people are told. */
const FAILURES: readonly Line[] = [
  {
    codes: /^(CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED_|UNABLE_TO_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|EPROTO$)/,
    reason: "tls",
    says: (host) => `${host} has no certificate that can be trusted for this name, or does not speak TLS there.`,
  },
  {
    codes: /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/,
    reason: "timeout",
    says: (host) => `${host} did not reply in time.`,
  },
  {
    codes: /^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/,
    reason: "too_large",
    says: (host) => `${host} replied with headers that are too large.`,
  },
  {
    codes:
      /^(HTTPParserError$|HPE_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|BROTLI_|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$|ERR_STREAM_PREMATURE_CLOSE$)/,
    reason: "unreadable",
    says: (host) => `What ${host} replied cannot be read as HTTP.`,
  },
  {
    codes: /^(UND_ERR_INVALID_ARG|ERR_INVALID_CHAR|ERR_HTTP_INVALID_HEADER_VALUE)$/,
    reason: "invalid",
    says: () => "The request has a character that HTTP does not allow, for example a line break in the credential.",
  },
  {
    codes: /^(ENOTFOUND|ENODATA|EAI_)/,
    reason: "unreachable",
    says: (host) => `The name ${host} cannot be looked up.`,
  },
  { codes: /^ECONNREFUSED$/, reason: "unreachable", says: (host) => `${host} refuses connections on this port.` },
  {
    codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    reason: "unreachable",
    says: (host) => `${host} broke off the connection.`,
  },
  { codes: /./, reason: "unreachable", says: (host) => `${host} cannot be reached.` },
];

/**
 * Returns a failure of the network as ours. Theirs name addresses and quote the other side, so nothing of them is kept;
 * what has no code is a mistake of ours and stays as it is.
 */
export function failureOf(error: unknown, host: string): unknown {
  if (error instanceof OutboundError) return error;
  const parser = error instanceof errors.HTTPParserError ? [error.name] : []; // it has a code only sometimes
  const codes = [...errorCodes(error), ...parser].filter(Boolean);
  const line = FAILURES.find((one) => codes.some((code) => one.codes.test(code)));
  return line ? new OutboundError(line.reason, line.says(host)) : error;
}
