/** How languages write "nothing" or "no number" as text. */
const NOTHING = new Set([
  "undefined",
  "null",
  "none",
  "nil",
  "nan",
  "void",
  "infinity",
  "-infinity",
  "n/a",
  "unknown",
  "not set",
  "not_set",
  "unset",
  "empty",
  "true",
  "false",
]);

/** Brackets and quotes around such a word: `<nil>`, `(null)`, `"None"`, `[undefined]`. */
const WRAPPED = /^[<([{"'`]+(.*?)[>)\]}"'`]+$/s;

/** Ids of zeros: an empty UUID, the invalid trace id of OpenTelemetry, `0`. */
const ZEROS = /^(?:urn:uuid:)?\{?[0-]*0[0-]*\}?$/i;

/** A template whose variable nobody filled in, alone or inside of an id. */
const TEMPLATES = [/\{\{[^{}]*\}\}/, /[$#]\{[^{}]*\}/, /<%[^%]*%>/, /\[\[[^[\]]*\]\]/];
/** The same where the whole text is one: `{session_id}`, `<session-id>`, `$SESSION_ID`, `%USER%`, `:id`, `__ID__`. */
const TEMPLATE = /^(?:\{[a-z_. :-]*\}|<[a-z_. :-]*>|\$[a-z_]\w*|%[sd]|%\w+%|%\(\w+\)[sd]|:[a-z_]\w*|__\w+__)$/i;

/** An object, function or promise that was turned into text by its language, and a Go formatting error. */
const OBJECT = /\[object \w+\]|<[\w.]+ object at 0x[\da-f]+>|<(?:function|class|bound method|coroutine) .*>|%!\w?\(/i;
const SYMBOL = /^(?:Symbol\(.*\)|\[Function.*\]|Promise \{.*\}|function\b.*\{.*)$/s;

const isNothing = (text: string) => text === "" || NOTHING.has(text.toLowerCase());

/** Nearly all ids: letters, digits and separators, with a digit that is not zero. None of the others look like this. */
const PLAIN_ID = /^(?=.*[1-9])[a-z0-9][\w.:@/-]*$/i;

/** Returns whether a text under an id's name is no id but the trace of one that was missing: strangers would share it. */
export function isPlaceholder(sent: string): boolean {
  if (PLAIN_ID.test(sent)) return false;
  const text = sent.trim();
  if (isNothing(text) || ZEROS.test(text)) return true;
  const inside = WRAPPED.exec(text)?.[1];
  if (inside !== undefined && isNothing(inside.trim())) return true;
  return OBJECT.test(text) || SYMBOL.test(text) || TEMPLATE.test(text) || TEMPLATES.some((one) => one.test(text));
}
