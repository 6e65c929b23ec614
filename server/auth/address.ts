/**
 * Returns the visitor's network address, as the front door of our server found it by the socket and TRUSTED_PROXIES: it
 * overwrites what the visitor claimed.
 */
export const addressOf = (headers: Headers) => headers.get("x-forwarded-for") || "unknown";
