import { luhn } from "./checksums";
import {
  CARD_LABEL,
  CLOSE_CARD_LABEL,
  CLOSE_CARD_LABEL_AFTER,
  CLOSE_PHONE_LABEL,
  LINE_LABEL,
  LINE_LABEL_AFTER,
  OTHER_NUMBER,
  PHONE_LABEL,
  textAfter,
  textBefore,
} from "./labels";
import { NUMBER_IDS } from "./national-ids";
import type { PersonalData, PersonalDataKind } from "./types";

/** Digits and the separators between them, at `[start, end)`. Begins with a digit, `+` or `(`, ends with a digit. */
type Run = { start: number; end: number };

const RUN_MAX = 48;
const DIGITS_MIN = 7;
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
/** Space, no-break space, narrow no-break space, ( ) - . / and the hyphens of typography. */
const SEPARATORS = new Set([0x20, 0xa0, 0x202f, 0x28, 0x29, 0x2d, 0x2e, 0x2f, 0x2010, 0x2011, 0x2013]);
const SEPARATORS_MAX = 3;
const LETTER = /[\p{L}\p{N}_]/u;

/** Finds phone, card, national and IP numbers. */
export function findNumbers(text: string): PersonalData[] {
  const found: PersonalData[] = [];
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text.charCodeAt(at))) continue;
    const run = runAt(text, at);
    if (run.end - run.start >= DIGITS_MIN && standsAlone(text, run)) classify(text, run, found);
    at = run.end;
  }
  return found;
}

function runAt(text: string, firstDigit: number): Run {
  let start = firstDigit;
  if (text[start - 1] === "(") start--;
  if (text[start - 1] === "+") start--;
  const limit = Math.min(text.length, firstDigit + RUN_MAX);
  let end = firstDigit + 1;
  let separators = 0;
  for (let at = end; at < limit && separators <= SEPARATORS_MAX; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      end = at + 1;
      separators = 0;
    } else if (SEPARATORS.has(code)) separators++;
    else break;
  }
  if (text[start] === "(" && !text.slice(start, end).includes(")")) start++;
  // A number longer than any of these is read as a whole, so that no part of it counts.
  if (end === limit) while (end < text.length && isDigit(text.charCodeAt(end))) end++;
  return { start, end };
}

const EXTENSION = /^,?\s?(?:x|ext\.?|extension)\s?\d{1,6}(?![\p{L}\p{N}_])/iu;

/** Whether the run is not part of a word, an amount, an identifier or a path. */
function standsAlone(text: string, { start, end }: Run): boolean {
  const before = text[start - 1] ?? "";
  if (LETTER.test(before) && !isWide(before)) return false;
  if ("$€£¥%&@~^".includes(before) && before !== "") return false;
  if ("-./=:\\".includes(before) && before !== "" && /[\p{L}\p{N}_/]/u.test(text[start - 2] ?? "")) {
    // `phone:555…` and `?q=4111…` stand alone, `order-4111…` and `v1.2` do not.
    if (before !== ":" && before !== "=") return false;
    if (before === ":" && isDigit(text.charCodeAt(start - 2))) return false;
  }
  const after = text[end] ?? "";
  if (LETTER.test(after) && !isWide(after)) return EXTENSION.test(text.slice(end, end + 12));
  return !(after === ":" && isDigit(text.charCodeAt(end + 1)));
}

/** Scripts written without spaces: a number between their letters stands alone. */
const isWide = (character: string) => character.charCodeAt(0) >= 0x3000;

function classify(text: string, run: Run, found: PersonalData[]): void {
  const written = text.slice(run.start, run.end);
  const card = cardIn(text, run, written);
  if (card) {
    found.push(card);
    return;
  }
  const whole = readNumber(text, run, written);
  if (whole) {
    found.push(whole);
    return;
  }
  // Several numbers in a row, each with its own separators.
  if (!written.includes(" ")) return;
  let from = run.start;
  for (const part of written.split(" ")) {
    const end = from + part.length;
    const start = from;
    from = end + 1;
    const trimmed = part.replace(/[^\d]+$/, "");
    if (trimmed.length < DIGITS_MIN) continue;
    const single = readNumber(text, { start, end: start + trimmed.length }, trimmed);
    if (single) found.push(single);
  }
}

const CARD = /(?<![\d.])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5}|\d{12,19})(?!\d)/;
/** Networks by their leading digits, with the lengths they issue. */
const NETWORKS: readonly [RegExp, readonly number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16, 19]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35(?:2[89]|[3-8]\d)/, [16, 19]],
  [/^(?:2131|1800)/, [15]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6[0-9])/, [12, 13, 14, 15, 16, 17, 18, 19]],
  [/^220[0-4]/, [16]],
];
/** Lengths at which a Luhn digit and a network are enough; others occur by chance among identifiers. */
const COMMON_CARD = new Set([15, 16]);

function cardIn(text: string, run: Run, written: string): PersonalData | null {
  const match = CARD.exec(written);
  if (!match) return null;
  const digits = match[0].replaceAll(/\D/g, "");
  if (digits === digits[0]!.repeat(digits.length)) return null;
  const start = run.start + match.index;
  const end = start + match[0].length;
  const before = textBefore(text, start);
  const isCard = NETWORKS.some(([prefix, lengths]) => prefix.test(digits) && lengths.includes(digits.length));
  if (!isCard || !luhn(digits)) {
    // Mistyped, or of a network that is not listed: a card where the text says so.
    const called = CLOSE_CARD_LABEL.test(before) || CLOSE_CARD_LABEL_AFTER.test(textAfter(text, end));
    return called ? { kind: "card number", start, end, value: digits } : null;
  }
  const labelled = CARD_LABEL.test(before) || CARD_LABEL.test(textAfter(text, end));
  if (!labelled && (!COMMON_CARD.has(digits.length) || OTHER_NUMBER.test(before))) return null;
  return { kind: "card number", start, end, value: digits };
}

const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?=$|[^.\d])/;
const VERSION =
  /\b(?:v|ver|versions?|release|build|section|chapter|clause|§|firmware|chrome|safari|mozilla)[ /:.]{0,2}$/i;
const DATE =
  /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?: +\d{1,2})?$|^(?:1\d|20)\d{2}\s?[-–/]\s?(?:1\d|20)\d{2}$|^(?:19|20)\d{2}[- ](?:19|20)\d{2}$|^(?:19|20)\d{6}$/;
/** Decimal numbers, and thousands separated by points or spaces. */
const AMOUNT = /^\d{1,12}\.\d{1,12}$|^\d{1,3}(?:[. ]\d{3}){2,}$/;

function readNumber(text: string, run: Run, written: string): PersonalData | null {
  const of = (kind: PersonalDataKind, value: string, end = run.end): PersonalData => ({
    kind,
    start: run.start,
    end,
    value,
  });
  const before = textBefore(text, run.start);
  const ip = IPV4.exec(written);
  if (ip) {
    const octets = ip.slice(1).map(Number);
    const speaksOfVersion = VERSION.test(before);
    if (speaksOfVersion || octets.some((octet) => octet > 255) || octets.every((octet) => octet < 10)) return null;
    return of("IP address", ip[0], run.start + ip[0].length);
  }
  const digits = written.replaceAll(/\D/g, "");
  const around = () => `${before}\u0000${written}\u0000${textAfter(text, run.end)}`;
  for (const { shape, valid, label } of NUMBER_IDS) {
    if (shape.test(written) && valid(digits) && (!label || label.test(around()))) return of("national id", digits);
  }
  if (DATE.test(written)) return null;
  if (!isPhone(text, run, written, digits, before)) return null;
  const extension = EXTENSION.exec(text.slice(run.end, run.end + 12));
  return of("phone number", digits, run.end + (extension?.[0].length ?? 0));
}

const PHONE_DIGITS = { least: 7, most: 15 } as const;
/** International; North American; an area code in brackets; a trunk zero and groups. */
const SURE_PHONE = [
  /^(?:\+|\(\+)\s?\(?\d[\d\s().\-–‐‑/\u00a0\u202f]{6,22}$/,
  /^00\d{1,3}[\s.-]\(?\d[\d\s().-]{5,20}$/,
  /^(?:1[-. ])?\(?[2-9]\d{2}\)?[-. ]{1,2}\d{3}[-. ]\d{4}$/,
  /^\(0?\d{1,5}\)[ -]?\d{2,4}(?:[ -]\d{2,4}){1,3}$/,
  /^0\d{1,4}(?:[ ./-]\d{2,4}){2,4}$/,
  /^0\d{2,4}[ /-]\d{5,8}$/,
];
const LEADING_ONE = /^1[5-9]\d{8}(?:\d{3})?$/;

/** Digits without separators that a mere "Office:" makes a number. */
const BARE_LEAST = 8;
/** "… is my mother's landline", "… instead, that is his cell". */
const SAID_AFTER =
  /^[^.!?\n\d]{0,16}\b(?:is|was)\s+(?:my|his|her|their|the|\p{L}+['’]s)\s[\p{L}'’ ]{0,14}\b(?:phone|mobile|cell|landline|(?<!(?:order|ticket|tracking|reference|account|card|serial|invoice|confirmation|booking) )number)\b/iu;

function isPhone(text: string, run: Run, written: string, digits: string, before: string): boolean {
  const { least, most } = PHONE_DIGITS;
  if (digits.length < least || digits.length > most) return false;
  if (/^(\d)\1+$/.test(digits)) return false;
  const isOther = OTHER_NUMBER.test(before);
  if (SURE_PHONE.some((form) => form.test(written))) {
    if (written.startsWith("+")) return true;
    return digits.length >= 9 && digits.length <= 13 ? !isOther : !isOther && PHONE_LABEL.test(before);
  }
  if (isOther) return false;
  if (!/[^\d]/.test(written)) {
    // A Unix time is ten or thirteen digits.
    return (
      (CLOSE_PHONE_LABEL.test(before.slice(-48)) ||
        (digits.length >= BARE_LEAST && LINE_LABEL.test(before)) ||
        SAID_AFTER.test(textAfter(text, run.end))) &&
      !(LEADING_ONE.test(digits) && !/phone|mobile|tel|cell/i.test(before))
    );
  }
  if (groupsOf(written) > 6) return false;
  if (LINE_LABEL.test(before) || LINE_LABEL_AFTER.test(textAfter(text, run.end))) return true;
  if (AMOUNT.test(written) && !PHONE_LABEL.test(before.slice(-40))) return false;
  return PHONE_LABEL.test(before) || SAID_AFTER.test(textAfter(text, run.end));
}

const groupsOf = (written: string) => written.split(/[^\d]+/).length;
