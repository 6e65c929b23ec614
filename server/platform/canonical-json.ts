import canonicalize from "canonicalize";

/** Returns a value as canonical JSON (RFC 8785), so that equal values give equal texts: jsonb does not preserve the order of fields. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? "null";
