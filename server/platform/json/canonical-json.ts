import canonicalize from "canonicalize";

/** Returns a value as canonical JSON (RFC 8785), so that equal values yield equal text: jsonb does not preserve field order. */
export const canonicalJson = (value: unknown): string => canonicalize(value) ?? "null";
