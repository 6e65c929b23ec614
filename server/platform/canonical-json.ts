import canonicalize from "canonicalize";

/** Returns a value as canonical JSON (RFC 8785), so that equal values are equal texts: a database keeps no order of fields. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? "null";
