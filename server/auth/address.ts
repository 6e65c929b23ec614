/**
 * The visitor's network address as the nearest hop tells it: the last entry of `X-Forwarded-For`, which a proxy in front
 * of us appended (or Next itself, from the socket). Earlier entries are the visitor's own claims. Without a proxy the whole
 * header can be: limits by address are then a hurdle, and those by e-mail hold.
 */
export const addressOf = (forwardedFor: string | undefined) => forwardedFor?.split(",").at(-1)?.trim() || "unknown";
