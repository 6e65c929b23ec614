/** Plain text longer than this many characters is cut, with a marker at the cut. */
export const MAX_TEXT_CHARACTERS = 1_048_576;

/** JSON text may be longer, because cutting it would lose the messages in it: its inner texts are cut instead. */
export const MAX_JSON_TEXT_CHARACTERS = 16 * 1_048_576;

/** How much of one text inside over-long JSON text is kept, in characters (a base64 image is what usually gets cut). */
export const MAX_TEXT_CHARACTERS_IN_JSON = 65_536;

/** Attribute values nested deeper than this are replaced by a marker: no client nests so, and recursion must end. */
export const MAX_VALUE_DEPTH = 32;

/** A span or log record with more attributes is refused. Flattened histories of long conversations reach thousands. */
export const MAX_ATTRIBUTES = 20_000;

/** A clock may be a little ahead of ours, but a time more than a day ahead would sort first for ever. */
export const MAX_FUTURE_US = 86_400_000_000;

export const TOO_DEEP = "[nested too deeply]";
