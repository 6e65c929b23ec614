import {
  AWS_KEY_ID,
  AWS_SECRET,
  hasSecretRun,
  isCredentialOf,
  looksRandom,
  SCHEMES,
  SHAPES,
} from "@/server/platform/secret-shapes";
import { isSecretName, isSecretParameter, meaningOf } from "./secret-names";

/** Counts masked secrets. `write` returns a replacement other than `maskOf(kind)`. */
export type Tally = { masked: number; write?: (kind: string, secret: string) => string };

/** Returns the replacement for a secret, which reveals its kind only. */
export const maskOf = (kind: string) => `[masked: ${kind}]`;
const written = ({ write }: Tally, kind: string, secret: string) => write?.(kind, secret) ?? maskOf(kind);
/** A mask, alone or after an authorization scheme. */
const IS_MASKED = /^(?:(?:bearer|basic) )?\[masked: /i;

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const HINTS = new RegExp([...new Set(SHAPES.map(({ hint }) => escaped(hint)))].join("|"));

/**
 * Masks secrets in a text, recognised by their shape or by the name before them. Takes linear time, and reads only part of
 * most texts.
 */
export function maskText(text: string, tally: Tally): string {
  let masked = text;
  if (hasSecretRun(text)) {
    if (HINTS.test(text)) masked = maskShapes(masked, tally);
    masked = masked.replace(SCHEMES, (whole, scheme: string, gap: string, credential: string) => {
      if (!isCredentialOf(scheme, credential)) return whole;
      tally.masked++;
      return `${scheme}${gap}${written(tally, "credential", credential)}`;
    });
  }
  if (masked.includes("@") && masked.includes("://")) masked = maskAddresses(masked, tally);
  return maskNamed(masked, tally);
}

function maskShapes(text: string, tally: Tally): string {
  let masked = text;
  const hasKeyId = AWS_KEY_ID.test(text);
  const replace = (pattern: RegExp, kind: string, confirms?: (found: string) => boolean) => {
    masked = masked.replace(pattern, (found) => {
      if (confirms && !confirms(found)) return found;
      tally.masked++;
      return written(tally, kind, found);
    });
  };
  for (const { kind, hint, pattern, confirms } of SHAPES) if (masked.includes(hint)) replace(pattern, kind, confirms);
  if (hasKeyId) replace(AWS_SECRET, "AWS secret key", looksRandom);
  return masked;
}

const ENDS_AUTHORITY = /[\s/?#"'<>\\`]/;

/** Masks the password in `scheme://user:password@host`, even if it contains unescaped characters. */
function maskAddresses(text: string, tally: Tally): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = text.indexOf("://"); at !== -1; at = text.indexOf("://", at)) {
    const start = at + 3;
    let end = start;
    let last = -1;
    for (; end < text.length && !ENDS_AUTHORITY.test(text[end] as string); end++) if (text[end] === "@") last = end;
    at = end;
    const colon = last === -1 ? -1 : text.slice(start, last).indexOf(":");
    if (colon === -1 || start + colon + 1 === last) continue;
    const from = start + colon + 1;
    if (IS_MASKED.test(text.slice(from, from + 9))) continue;
    pieces.push(text.slice(copied, from), written(tally, "password", text.slice(from, last)));
    copied = last;
    tally.masked++;
  }
  return copied === 0 ? text : pieces.join("") + text.slice(copied);
}

const NAME_MAX = 64;
const IN_NAME = /[\w.-]/;
const isQuote = (char: string | undefined) => char === '"' || char === "'";
const NOTHING = /^\s*(?:|null|none|nil|undefined|true|false|\*+|<[^>]{0,40}>)\s*$/i;
/** Whether the value after a secret's name is a placeholder: not a secret, or already masked. */
export const isPlaceholder = (text: string) => text.length <= 48 && (NOTHING.test(text) || IS_MASKED.test(text));
/** A path, as in `PWD=/home/…`. */
const IS_PATH = /^(?:\/|[A-Za-z]:\\)/;

type Name = { text: string; quoted: boolean; parameter: boolean };

/** Returns the name that ends before a separator: bare, or in quotes that may be escaped. */
function nameBefore(text: string, separator: number): Name | undefined {
  let end = separator;
  while (end > 0 && separator - end < 8 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  const quoted = isQuote(text[end - 1]);
  if (quoted) {
    end--;
    while (end > 0 && text[end - 1] === "\\") end--;
  }
  let start = end;
  while (start > 0 && end - start < NAME_MAX && IN_NAME.test(text[start - 1] as string)) start--;
  if (start === end) return undefined;
  const before = text[start - 1];
  return { text: text.slice(start, end), quoted, parameter: before === "?" || before === "&" };
}

/**
 * Returns the end of a quoted text that starts at `from`. In JSON nested in JSON, quotes have backslashes before them: the
 * closing quote has as many as the opening one, preceded only by pairs that encode backslashes.
 */
function endOfQuoted(text: string, from: number, quote: string, backslashes: number): number {
  for (let at = text.indexOf(quote, from); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = 0;
    while (at - before > from && text[at - before - 1] === "\\") before++;
    if (before % (2 * (backslashes + 1)) === backslashes) return at - backslashes;
  }
  return text.length;
}

const ENDS_BARE = /[\s"'\\;,&)\]}<>`]/;
const ENDS_PARAMETER = /[\s"'\\&#<>`]/;
const ENDS_LINE = /["'\\\r\n`]/;
const endBefore = (text: string, from: number, stop: RegExp) => {
  let end = from;
  while (end < text.length && !stop.test(text[end] as string)) end++;
  return end;
};
/** Unquoted `name: value` is a header only with such names; with others it is prose. */
const IS_HEADER = /-|^(?:authorization|cookie)$/i;

/** Characters of a value that decide whether it is masked. */
const PREFIX_CHARACTERS = 24;

type Span = { from: number; to: number };

/** Returns the range of a secret name's value after its separator; `undefined` if there is no certain value. */
function valueAfter(text: string, separator: number, name: Name): Span | undefined {
  let from = separator + 1;
  if (text[from] === ">") from++; // Ruby's `=>`
  const limit = from + 8;
  while (from < limit && (text[from] === " " || text[from] === "\t")) from++;
  if (text[from] === "[" && isQuote(text[from + 1])) from++; // a list of values
  let backslashes = 0;
  while (text[from + backslashes] === "\\" && backslashes < 16) backslashes++;
  const quote = text[from + backslashes];
  const quoted = quote !== undefined && isQuote(quote);
  if (quoted) from += backslashes + 1;
  const beginning = text.slice(from, from + PREFIX_CHARACTERS);
  if (IS_MASKED.test(beginning) || IS_PATH.test(beginning)) return undefined;
  if (quoted) return { from, to: endOfQuoted(text, from, quote, backslashes) };
  if (text[separator] === "=") {
    return { from, to: endBefore(text, from, name.parameter ? ENDS_PARAMETER : ENDS_BARE) };
  }
  return !name.quoted && IS_HEADER.test(name.text) ? { from, to: endBefore(text, from, ENDS_LINE) } : undefined;
}

const SEPARATOR = /[:=]/g;

/** Whether the text contains the name of a secret or of headers, so that JSON is worth parsing. */
export function namesSecret(text: string): boolean {
  SEPARATOR.lastIndex = 0;
  for (let found = SEPARATOR.exec(text); found; found = SEPARATOR.exec(text)) {
    const name = nameBefore(text, found.index);
    if (name && meaningOf(name.text) !== "plain") return true;
  }
  return false;
}

/** Masks values after the name of a secret: `api_key=…`, `"password": "…"`, `{ apiKey: '…' }`, `x-api-key: …`, `?token=…`. */
function maskNamed(text: string, tally: Tally): string {
  const pieces: string[] = [];
  let copied = 0;
  SEPARATOR.lastIndex = 0;
  for (let found = SEPARATOR.exec(text); found; found = SEPARATOR.exec(text)) {
    const separator = found.index;
    const name = nameBefore(text, separator);
    if (!name) continue;
    if (!(name.parameter && text[separator] === "=" ? isSecretParameter : isSecretName)(name.text)) continue;
    const value = valueAfter(text, separator, name);
    if (!value) continue;
    SEPARATOR.lastIndex = value.to;
    if (isPlaceholder(text.slice(value.from, value.to))) continue;
    pieces.push(text.slice(copied, value.from), written(tally, "value", text.slice(value.from, value.to)));
    copied = value.to;
    tally.masked++;
  }
  return copied === 0 ? text : pieces.join("") + text.slice(copied);
}
