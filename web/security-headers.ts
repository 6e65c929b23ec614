// Sets the security headers of every response, before Next or a route writes to it.
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import helmet, { type HelmetOptions } from "helmet";

/** What differs between installations: https, and development mode. */
export type Installation = { secure: boolean; dev: boolean };
/** Sets the headers of a response, chosen by the request's path. */
export type Secure = (request: IncomingMessage, response: ServerResponse) => void;

/** Responses for programs, not for display in a browser: `/v1`, `/mcp`, and what the pages and the job engine call. */
const IS_API = /^\/(?:v1|mcp|api)(?:\/|$)|^\/(?:healthz|readyz)$/;
/** Pages of one-time links; links of earlier versions carry the token in the query. */
const IS_LINK = /^\/(?:invite|reset|setup)\/?$/;
/** Read-only copies for whoever has their link. */
const IS_SHARED = /^\/share\//;
const HSTS_SECONDS = 180 * 86_400;

/** Browser features that a workbench does not use, disabled for everything shown in it. */
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

/** Request header from which Next and the page's own code read the nonce of their scripts. */
const NONCE = "x-nonce";
const POLICY = "content-security-policy";

const nonceOf = (request: unknown) => `'nonce-${(request as IncomingMessage).headers[NONCE]}'`;

/**
 * The policy of pages. Scripts need this response's nonce. Style elements need it too; style attributes are allowed, because
 * Mantine writes sizes and colours there, and an attribute cannot load or run anything that the other directives do not
 * allow.
 */
const pageDirectives = ({ secure, dev }: Installation) => ({
  "default-src": ["'self'"],
  "script-src": ["'self'", nonceOf, "'strict-dynamic'", ...(dev ? ["'unsafe-eval'"] : [])],
  "script-src-attr": ["'none'"],
  // For browsers that do not distinguish elements from attributes.
  "style-src": ["'self'", "'unsafe-inline'"],
  // In development the bundler's own overlay and hot reload write style elements.
  "style-src-elem": ["'self'", dev ? "'unsafe-inline'" : nonceOf],
  "style-src-attr": ["'unsafe-inline'"],
  "img-src": ["'self'", "data:", "blob:"],
  "font-src": ["'self'", "data:"],
  "connect-src": ["'self'", ...(dev ? ["ws:"] : [])],
  "worker-src": ["'self'", "blob:"],
  // Audio that came with a message, which the page has made an address of its own for.
  "media-src": ["blob:"],
  "object-src": ["'none'"],
  "frame-src": ["'none'"],
  "frame-ancestors": ["'none'"],
  "base-uri": ["'none'"],
  "form-action": ["'self'"],
  "upgrade-insecure-requests": secure ? [] : null,
});

/** The policy of everything else: readable, but nothing in it can load, run or be framed. */
const API_DIRECTIVES = {
  "default-src": ["'none'"],
  "frame-ancestors": ["'none'"],
  "base-uri": ["'none'"],
  "form-action": ["'none'"],
  sandbox: [],
};

/** The policy of shared copies: words with the style that is in the document, and nothing else. */
const SHARED_DIRECTIVES = {
  "default-src": ["'none'"],
  "style-src": [nonceOf],
  "frame-ancestors": ["'none'"],
  "base-uri": ["'none'"],
  "form-action": ["'none'"],
};

type Directives = NonNullable<Exclude<HelmetOptions["contentSecurityPolicy"], boolean | undefined>["directives"]>;

const headersWith = ({ secure }: Installation, directives: Directives, referrer: "same-origin" | "no-referrer") =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: secure && { maxAge: HSTS_SECONDS, includeSubDomains: false },
    // Paths may contain ids of people and conversations, so other sites get no referrer.
    referrerPolicy: { policy: referrer },
    xFrameOptions: { action: "deny" },
    // Legacy headers that the policy supersedes.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });

/**
 * Returns a function that sets the headers of each response and passes the nonce to Next. The visitor's own headers of those
 * names are discarded.
 */
export function securityHeaders(installation: Installation): Secure {
  const page = pageDirectives(installation);
  const kinds = {
    api: headersWith(installation, API_DIRECTIVES, "same-origin"),
    link: headersWith(installation, page, "no-referrer"),
    shared: headersWith(installation, SHARED_DIRECTIVES, "no-referrer"),
    page: headersWith(installation, page, "same-origin"),
  };
  const kindOf = (pathname: string): keyof typeof kinds => {
    if (IS_API.test(pathname)) return "api";
    if (IS_SHARED.test(pathname)) return "shared";
    return IS_LINK.test(pathname) ? "link" : "page";
  };
  return (request, response) => {
    const { headers, url = "/" } = request;
    const pathname = url.split("?", 1)[0] ?? "/";
    const kind = kindOf(pathname);
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
