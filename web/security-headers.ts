// @ts-check
// What the browser is told about every answer, before Next or a route writes to it.
import { randomBytes } from "node:crypto";

/** Answers for programs, not for a browser to show: `/v1` with its API, and what the pages and the job engine call. */
const IS_API = /^\/(?:v1|api)(?:\/|$)|^\/(?:healthz|readyz)$/;

/** Features that a workbench has no use for, and that nothing shown in it may therefore ask for. */
const NO_FEATURES = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
]
  .map((name) => `${name}=()`)
  .join(", ");

/** Pages of one-time links: links of earlier versions have their token in the query. */
const IS_LINK = /^\/(?:invite|reset|setup)\/?$/;

const HSTS_SECONDS = 180 * 86_400;

/**
 * Of a page. Scripts run by this answer's nonce only. Style elements need it too; style attributes are allowed, because
 * Mantine writes sizes and colours of single elements there, and no attribute can load or run anything that the other
 * lines do not allow.
 * @param {{nonce: string, secure: boolean, dev: boolean}} options
 */
const pagePolicy = ({ nonce, secure, dev }) =>
  [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    "script-src-attr 'none'",
    // For browsers that do not tell elements from attributes.
    "style-src 'self' 'unsafe-inline'",
    // In development the bundler's own overlay and hot reload write style elements.
    `style-src-elem 'self' ${dev ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self'${dev ? " ws:" : ""}`,
    "worker-src 'self' blob:",
    "media-src 'none'",
    "object-src 'none'",
    "frame-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    ...(secure ? ["upgrade-insecure-requests"] : []),
  ].join("; ");

/** Of everything else: it can be read, and nothing in it can load, run or be framed. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

/**
 * The headers of the answer at this address; `nonce` is set where a page may use one.
 * @param {string} pathname
 * @param {{secure: boolean, dev: boolean}} installation
 */
export function securityHeaders(pathname, { secure, dev }) {
  const nonce = IS_API.test(pathname) ? undefined : randomBytes(16).toString("base64");
  /** @type {Record<string, string>} */
  const headers = {
    "content-security-policy": nonce === undefined ? API_POLICY : pagePolicy({ nonce, secure, dev }),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    // An address here may hold ids of people and conversations: no other site is told any of it.
    "referrer-policy": IS_LINK.test(pathname) ? "no-referrer" : "same-origin",
    "permissions-policy": NO_FEATURES,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    ...(secure ? { "strict-transport-security": `max-age=${HSTS_SECONDS}` } : {}),
  };
  return { nonce, headers };
}

/**
 * Puts them on the answer, and tells Next (by the request's header, as it reads it) which nonce its scripts carry. What
 * the visitor sent under those names counts for nothing.
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 * @param {{secure: boolean, dev: boolean}} installation
 */
export function secure(request, response, installation) {
  const pathname = (request.url ?? "/").split("?", 1)[0] ?? "/";
  const { nonce, headers } = securityHeaders(pathname, installation);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  delete request.headers["content-security-policy"];
  delete request.headers["content-security-policy-report-only"];
  delete request.headers["x-nonce"];
  if (nonce === undefined) return;
  request.headers["content-security-policy"] = headers["content-security-policy"];
  request.headers["x-nonce"] = nonce;
}
