import { parseJson } from "@/server/platform/json/json-text";

/** What Whetstone writes in place of values that are nested too deeply, too long or masked. */
const OWN_MARK = /\[nested too deeply\]|… \[cut here: \d+ more characters\]|\[masked: [^\]\n]{1,60}\]/;

/** Returns whether Whetstone has changed a text, so that the application is not to blame for its form. */
export const isChangedByUs = (text: string): boolean => OWN_MARK.test(text);

/** Bounds the work on texts that only look like several values. */
const VALUES_MAX = 50;
const BETWEEN = /(?<=[}\]])\s*(?=[{[])/;

/**
 * Returns whether a text is several JSON values one after the other: the arguments of two calls, or of one call twice, that an
 * instrumentation has put together.
 */
export function isRunTogether(text: string): boolean {
  const pieces = text.trim().split(BETWEEN);
  if (pieces.length < 2 || pieces.length > VALUES_MAX) return false;
  let values = 0;
  let open = "";
  for (const piece of pieces) {
    open += piece;
    if (parseJson(open) === undefined) continue;
    values++;
    open = "";
  }
  return values > 1 && open === "";
}
