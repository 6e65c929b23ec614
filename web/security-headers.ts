// What the browser is told about every answer, before Next or a route writes to it.
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import helmet, { type HelmetOptions } from "helmet";

/** What differs between installations: whether people come over https, and whether it is a developer's. */
export type Installation = { secure: boolean; dev: boolean };
/** Puts the headers on an answer, by the address that its request asks for. */
export type Secure = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers for programs, not for a browser to show: `/v1` with its API, and what the pages and the job engine call. */
const IS_API = /^\/(?:v1|api)(?:\/|$)|^\/(?:healthz|readyz)$/;
/** Pages of one-time links: links of earlier versions have their token in the query. */
const IS_LINK = /^\/(?:invite|reset|setup)\/?$/;
const HSTS_SECONDS = 180 * 86_400;

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

/** By which Next, from the request as it reads it, and the page's own code learn the nonce of their scripts. */
const NONCE = "x-nonce";
const POLICY = "content-security-policy";

const nonceOf = (request: unknown) => `'nonce-${(request as IncomingMessage).headers[NONCE]}'`;

/**
 * Of a page. Scripts run by this answer's nonce only. Style elements need it too; style attributes are allowed, because
 * Mantine writes sizes and colours of single elements there, and no attribute can load or run anything that the other
 * lines do not allow.
 */
const pageDirectives = ({ secure, dev }: Installation) => ({
  "default-src": ["'self'"],
  "script-src": ["'self'", nonceOf, "'strict-dynamic'", ...(dev ? ["'unsafe-eval'"] : [])],
  "script-src-attr": ["'none'"],
  // For browsers that do not tell elements from attributes.
  "style-src": ["'self'", "'unsafe-inline'"],
  // In development the bundler's own overlay and hot reload write style elements.
  "style-src-elem": ["'self'", dev ? "'unsafe-inline'" : nonceOf],
  "style-src-attr": ["'unsafe-inline'"],
  "img-src": ["'self'", "data:", "blob:"],
  "font-src": ["'self'", "data:"],
  "connect-src": ["'self'", ...(dev ? ["ws:"] : [])],
  "worker-src": ["'self'", "blob:"],
  "media-src": ["'none'"],
  "object-src": ["'none'"],
  "frame-src": ["'none'"],
  "frame-ancestors": ["'none'"],
  "base-uri": ["'none'"],
  "form-action": ["'self'"],
  "upgrade-insecure-requests": secure ? [] : null,
});

/** Of everything else: it can be read, and nothing in it can load, run or be framed. */
const API_DIRECTIVES = {
  "default-src": ["'none'"],
  "frame-ancestors": ["'none'"],
  "base-uri": ["'none'"],
  "form-action": ["'none'"],
  sandbox: [],
};

type Directives = NonNullable<Exclude<HelmetOptions["contentSecurityPolicy"], boolean | undefined>["directives"]>;

const headersWith = ({ secure }: Installation, directives: Directives, referrer: "same-origin" | "no-referrer") =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: secure && { maxAge: HSTS_SECONDS, includeSubDomains: false },
    // An address here may hold ids of people and conversations: no other site is told any of it.
    referrerPolicy: { policy: referrer },
    xFrameOptions: { action: "deny" },
    // Old browsers' inventions, which the policy makes pointless.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });

/**
 * Returns what puts the headers on each answer, and tells Next which nonce its scripts carry. What the visitor sent under
 * those names counts for nothing.
 */
export function securityHeaders(installation: Installation): Secure {
  const page = pageDirectives(installation);
  const kinds = {
    api: headersWith(installation, API_DIRECTIVES, "same-origin"),
    link: headersWith(installation, page, "no-referrer"),
    page: headersWith(installation, page, "same-origin"),
  };
  return (request, response) => {
    const { headers, url = "/" } = request;
    const pathname = url.split("?", 1)[0] ?? "/";
    const kind = IS_API.test(pathname) ? "api" : IS_LINK.test(pathname) ? "link" : "page";
    for (const name of [POLICY, `${POLICY}-report-only`, NONCE]) delete headers[name];
    if (kind !== "api") headers[NONCE] = randomBytes(16).toString("base64");
    kinds[kind](request, response, rethrow);
    response.setHeader("permissions-policy", NO_FEATURES);
    if (kind !== "api") headers[POLICY] = String(response.getHeader(POLICY));
  };
}

function rethrow(error?: unknown) {
  if (error) throw error;
}
