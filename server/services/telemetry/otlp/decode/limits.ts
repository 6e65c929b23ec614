/** Plain text longer than this is cut, with a marker at the cut. */
export const MAX_TEXT_CHARACTERS = 1_048_576;

/** JSON text may be longer, because cutting it would lose the messages in it: its nested strings are cut instead. */
export const MAX_JSON_TEXT_CHARACTERS = 16 * 1_048_576;

/** Strings inside over-long JSON text are cut to this length (usually base64 images). */
export const MAX_TEXT_CHARACTERS_IN_JSON = 65_536;

/** Attribute values nested deeper are replaced by a marker, to bound recursion; no client nests so deeply. */
export const MAX_VALUE_DEPTH = 32;

/** A span or log record with more attributes is rejected. Flattened histories of long conversations reach thousands. */
export const MAX_ATTRIBUTES = 20_000;

/** A client's clock may be slightly ahead, but a time more than a day ahead would sort first forever. */
export const MAX_FUTURE_US = 86_400_000_000;

export const TOO_DEEP = "[nested too deeply]";
