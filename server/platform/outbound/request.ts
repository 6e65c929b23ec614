export const OUTBOUND_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type OutboundMethod = (typeof OUTBOUND_METHODS)[number];

export type OutboundRequest = {
  /** Whose call it is: a project has only its share of the calls in progress. */
  projectId: string;
  url: string;
  /** GET, unless given. */
  method?: OutboundMethod;
  /** May hold credentials: a redirect to another origin takes none of them along. */
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** A body that is sent as JSON. */
  json?: unknown;
  signal?: AbortSignal | undefined;
  /** Whether it may be sent again when it fails in passing. Unless given: GET, HEAD, PUT and DELETE may. */
  repeatable?: boolean;
  /** Of the whole call: lookup, retries, redirects, and the body to its end. */
  timeoutMs?: number;
  /** Of the body after its decompression. */
  maxBytes?: number;
  /** Which statuses count as a reply. Unless given: 200 to 299. */
  accepts?: (status: number) => boolean;
};

/** One request of a call: the first, or one that a redirect leads to. */
export type Hop = {
  url: URL;
  method: OutboundMethod;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
};

/** What HTTP itself says, and not the caller. */
const OURS = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "accept-encoding",
  "expect",
  "upgrade",
]);

/** Returns the first request of a call, to an address that was checked. */
export function firstHop(url: URL, { method = "GET", headers = {}, body, json }: OutboundRequest): Hop {
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const ours = Object.keys(lowered).find((name) => OURS.has(name));
  if (ours !== undefined) throw new Error(`The header ${ours} is not the caller's to set.`);
  if (json === undefined) return { url, method, headers: lowered, body: body ?? null };
  return { url, method, headers: { "content-type": "application/json", ...lowered }, body: JSON.stringify(json) };
}

const FOLLOWED = new Set([301, 302, 303, 307, 308]);
/** Redirects that ask for the same request, body and all. */
const REPEATED = new Set([307, 308]);
/** What goes to another origin too. Any other header may be a credential, whatever its name. */
const HARMLESS = new Set(["accept", "accept-language", "user-agent"]);

/**
 * Returns where a reply redirects to and what is sent there; `undefined` for a reply that does not, and `null` for a redirect
 * that is not followed: one that would send a write to another origin, or turn it into a read.
 */
export function redirected(hop: Hop, status: number, location: string | undefined): Hop | null | undefined {
  if (!FOLLOWED.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, hop.url)) return null;
  const url = new URL(location, hop.url);
  const isSameOrigin = url.origin === hop.url.origin;
  const isRead = hop.method === "GET" || hop.method === "HEAD";
  if (!isRead && !(isSameOrigin && REPEATED.has(status))) return null;
  if (isSameOrigin) return { ...hop, url };
  const headers = Object.fromEntries(Object.entries(hop.headers).filter(([name]) => HARMLESS.has(name)));
  return { url, method: hop.method, headers, body: null };
}
