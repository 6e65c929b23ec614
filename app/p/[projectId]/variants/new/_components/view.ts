import { parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";

/** Where a new variant starts, from the address. */
export const newVariantParsers = {
  finding: parseAsString,
  conversation: parseAsString,
  /** The zero-based index of an answer in the conversation. */
  message: parseAsInteger,
  /** A version to start from. */
  from: parseAsString,
  /** The playground's prompt and parameters, stored in this tab. */
  draft: parseAsStringLiteral(["stored"]),
};
