export const OUTBOUND_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type OutboundMethod = (typeof OUTBOUND_METHODS)[number];

export type OutboundRequest = {
  /** The project that the call counts against: concurrency is limited per project. */
  projectId: string;
  url: string;
  /** Default: GET. */
  method?: OutboundMethod;
  /** May contain credentials: they are dropped on a redirect to another origin. */
  headers?: Readonly<Record<string, string>>;
  /** A function is called once per attempt, and its chunks are sent as they come. */
  body?: string | Uint8Array | (() => AsyncIterable<Uint8Array>);
  /** A body that is sent as JSON. */
  json?: unknown;
  signal?: AbortSignal | undefined;
  /** Whether a transient failure is retried. Default: for GET, HEAD, PUT and DELETE. */
  repeatable?: boolean;
  /** For the whole call: lookup, retries, redirects and the complete body. */
  timeoutMs?: number;
  /** Of the decompressed body. */
  maxBytes?: number;
  /** Which statuses count as success. Default: 200 to 299. */
  accepts?: (status: number) => boolean;
};

/** One request of a call: the first, or one that a redirect leads to. */
export type Hop = {
  url: URL;
  method: OutboundMethod;
  headers: Readonly<Record<string, string>>;
  body: NonNullable<OutboundRequest["body"]> | null;
};

/** Headers that the client sets itself. */
const RESERVED_HEADERS = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "expect",
  "upgrade",
]);

/** Returns the first request of a call to a checked address. */
export function firstHop(url: URL, { method = "GET", headers = {}, body, json }: OutboundRequest): Hop {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const reserved = Object.keys(lowered).find((name) => RESERVED_HEADERS.has(name));
  if (reserved !== undefined) throw new Error(`The header ${reserved} must not be set by the caller.`);
  if (json === undefined) return { url, method, headers: lowered, body: body ?? null };
  return { url, method, headers: { "content-type": "application/json", ...lowered }, body: JSON.stringify(json) };
}

const FOLLOWED = new Set([301, 302, 303, 307, 308]);
/** Redirects that preserve method and body. */
const METHOD_PRESERVING = new Set([307, 308]);
/** Headers that are sent to another origin too. Any other may be a credential, whatever its name. */
const CROSS_ORIGIN_HEADERS = new Set(["accept", "accept-language", "user-agent"]);

/**
 * Returns the request that follows a redirect; `undefined` if the reply is not a redirect, and `null` for a redirect that is
 * not followed: one that would send a write to another origin, or turn it into a read.
 */
export function redirected(hop: Hop, status: number, location: string | undefined): Hop | null | undefined {
  if (!FOLLOWED.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, hop.url)) return null;
  const url = new URL(location, hop.url);
  const isSameOrigin = url.origin === hop.url.origin;
  const isRead = hop.method === "GET" || hop.method === "HEAD";
  if (!isRead && !(isSameOrigin && METHOD_PRESERVING.has(status))) return null;
  if (isSameOrigin) return { ...hop, url };
  const headers = Object.fromEntries(Object.entries(hop.headers).filter(([name]) => CROSS_ORIGIN_HEADERS.has(name)));
  return { url, method: hop.method, headers, body: null };
}
