/**
 * Returns the visitor's network address. Our HTTP server derives it from the socket and TRUSTED_PROXIES, and overwrites
 * whatever header the visitor sent.
 */
export const addressOf = (headers: Headers) => headers.get("x-forwarded-for") || "unknown";
