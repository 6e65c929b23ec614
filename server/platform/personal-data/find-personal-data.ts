import { isIPv6 } from "node:net";
import { ACCOUNT_LABEL, DOB_LABEL, DOCUMENT_LABEL, textBefore, WEBSITE_LABEL } from "./labels";
import { ibanLength, LETTERED_IDS, validIban } from "./national-ids";
import { findNumbers } from "./numbers";
import type { PersonalData, PersonalDataKind } from "./types";

const MAY_CONTAIN = /[@\d]|:\/\/|www\./;
const MAY_NUMBER = /\d[\d ().\-/\u00a0\u2010-\u2013]{5}/;

/**
 * Returns the personal data of a text that has a recognisable form (not names, places or organisations), in order and without
 * overlaps. Numbers with a check digit are checked; those without one need a label. Takes linear time.
 */
export function findPersonalData(text: string): PersonalData[] {
  if (!MAY_CONTAIN.test(text)) return [];
  const found: PersonalData[] = [];
  if (text.includes("@")) findAddresses(text, found);
  if (text.includes("://") || text.includes("www.")) findWebsites(text, found);
  for (const [start, end] of aroundDigits(text)) {
    const region = start === 0 && end === text.length ? text : text.slice(start, end);
    const first = found.length;
    findLettered(region, found);
    findBirthDates(region, found);
    if (MAY_NUMBER.test(region)) for (const number of findNumbers(region)) found.push(number);
    findLabelled(region, DOCUMENT_LABEL, "document number", DOCUMENT, found);
    findLabelled(region, ACCOUNT_LABEL, "account number", ACCOUNT, found);
    if (region.includes(":")) findIpv6(region, found);
    for (let at = first; at < found.length; at++) {
      const one = found[at]!;
      found[at] = { ...one, start: one.start + start, end: one.end + start };
    }
  }
  return inOrder(found);
}

/** Characters around digits that may indicate what they are. */
const CONTEXT = 80;
const FEW_DIGITS = 4;

/**
 * Returns the parts of a text that contain digits, with their surroundings: prose has few, so labels need not be searched for
 * elsewhere.
 */
function aroundDigits(text: string): (readonly [number, number])[] {
  const regions: [number, number][] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) continue;
    const from = at;
    let digits = 0;
    // A number and its separators; every kind has more than a few digits.
    for (let gap = 0; at < text.length && gap < 5; at++) {
      const next = text.charCodeAt(at);
      if (next >= 0x30 && next <= 0x39) {
        digits++;
        gap = 0;
      } else gap++;
    }
    if (digits < FEW_DIGITS) continue;
    const start = Math.max(0, from - CONTEXT);
    const end = Math.min(text.length, at + CONTEXT);
    const last = regions.at(-1);
    if (last && last[1] >= start) last[1] = end;
    else regions.push([start, end]);
  }
  return regions;
}

/** Of overlapping findings the first found counts: checked forms are looked for before labelled ones. */
function inOrder(found: readonly PersonalData[]): PersonalData[] {
  if (found.length < 2) return [...found];
  const kept: PersonalData[] = [];
  for (const one of found
    .map((item, rank) => ({ item, rank }))
    .sort((a, b) => a.item.start - b.item.start || a.rank - b.rank)) {
    const last = kept.at(-1);
    if (!last || one.item.start >= last.end) kept.push(one.item);
  }
  return kept;
}

const IN_LOCAL = /[\p{L}\p{N}._%+'-]/u;
const LOCAL_MAX = 64;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,6}(?:[a-z]{2,24}|xn--[a-z0-9-]{2,30}|\p{L}{2,24})(?![\p{L}\p{N}_])/iu;
const DOMAIN_MAX = 200;
/** `logo@2x.png` and the users of services. */
const NO_ADDRESS = /\.(?:png|jpe?g|gif|svg|webp|css|js|ts|py|json|ya?ml)$/i;
const SERVICE_USERS = new Set(["git", "hg", "svn"]);

function findAddresses(text: string, found: PersonalData[]): void {
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > 0 && at - start < LOCAL_MAX && IN_LOCAL.test(text[start - 1]!)) start--;
    while (start < at && /[.'%+-]/.test(text[start]!)) start++;
    if (start === at || text[at - 1] === ".") continue;
    const domain = DOMAIN.exec(text.slice(at + 1, at + 1 + DOMAIN_MAX))?.[0];
    if (!domain || NO_ADDRESS.test(domain) || SERVICE_USERS.has(text.slice(start, at))) continue;
    const end = at + 1 + domain.length;
    found.push({ kind: "e-mail address", start, end, value: text.slice(start, end).toLowerCase() });
  }
}

const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>"'`)\]}]{3,200}/y;
const GAP = 16;

function findWebsites(text: string, found: PersonalData[]): void {
  for (const label of text.matchAll(WEBSITE_LABEL)) {
    const from = label.index + label[0].length;
    const near = text.slice(from, from + GAP).search(/https?:\/\/|www\./);
    if (near === -1) continue;
    ADDRESS.lastIndex = from + near;
    const address = ADDRESS.exec(text)?.[0].replace(/[.,;:!?]+$/, "");
    if (!address) continue;
    const start = from + near;
    found.push({ kind: "website", start, end: start + address.length, value: address.toLowerCase() });
  }
}

const IBAN_START = /(?<![\p{L}\p{N}_])([A-Za-z]{2})\d{2}(?=[ -]?[A-Za-z0-9]{2})/gu;
const ID = /(?<![\p{L}\p{N}_])(?=[A-Za-z]{0,6}\d)[A-Za-z]{0,6}\d[A-Za-z0-9+-]{6,18}(?![\p{L}\p{N}_])/gu;
const IBAN_WRITTEN_MAX = 44;
/** Every id with a letter contains one of these. Rules most text out at a fraction of the cost. */
const MAY_BE_ID = /[A-Za-z]\d[A-Za-z0-9+-]{6}|\d[\d+-]{0,18}[A-Za-z]/;

function findLettered(text: string, found: PersonalData[]): void {
  for (const match of text.matchAll(IBAN_START)) {
    const length = ibanLength(match[1]!.toUpperCase());
    if (!length) continue;
    const end = endOfIban(text, match.index, length);
    if (end === null) continue;
    const iban = text
      .slice(match.index, end)
      .replaceAll(/[^A-Za-z0-9]/g, "")
      .toUpperCase();
    if (validIban(iban)) found.push({ kind: "IBAN", start: match.index, end, value: iban });
  }
  if (!MAY_BE_ID.test(text)) return;
  for (const match of text.matchAll(ID)) {
    const written = match[0].toUpperCase();
    if (!/[A-Z]/.test(written)) continue;
    const compact = written.replaceAll("-", "");
    for (const { shape, valid, label } of LETTERED_IDS) {
      const value = shape.test(written) ? (written.includes("+") ? written : compact) : null;
      if (value === null || !valid(value)) continue;
      if (label && !label.test(textBefore(text, match.index))) continue;
      found.push({ kind: "national id", start: match.index, end: match.index + match[0].length, value: compact });
      break;
    }
  }
}

function endOfIban(text: string, start: number, length: number): number | null {
  let characters = 0;
  for (let at = start; at < text.length && at - start < IBAN_WRITTEN_MAX; at++) {
    if (/[A-Za-z0-9]/.test(text[at]!)) characters++;
    else if (text[at] !== " " && text[at] !== "-") return null;
    if (characters === length) return /[\p{L}\p{N}_]/u.test(text[at + 1] ?? "") ? null : at + 1;
  }
  return null;
}

const DATE_NEAR =
  /^(?:["'\s:=,]|is|was|on|the|del?|le|am|il|el|\(|を|は|：){0,12}(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}(?:st|nd|rd|th|\.|er|º)?\s(?:de\s)?\p{L}{3,12}\.?,?\s(?:de\s)?\d{4}|\p{L}{3,12}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4}|\d{4}年\d{1,2}月\d{1,2}日|\d{4}년\s?\d{1,2}월\s?\d{1,2}일)/u;

function findBirthDates(text: string, found: PersonalData[]): void {
  for (const label of text.matchAll(DOB_LABEL)) {
    const from = label.index + label[0].length;
    const near = DATE_NEAR.exec(text.slice(from, from + 60));
    if (!near) continue;
    const start = from + near[0].length - near[1]!.length;
    const value = near[1]!.toLowerCase();
    found.push({ kind: "date of birth", start, end: start + value.length, value });
  }
}

/** What follows a label: at most a few words, then letters and digits of which several are digits. */
const DOCUMENT =
  /^(?:["'\s:=#,.()]|numbers?|no\b|nr\b|num\b|id\b|is|was|the|my|his|her|nummer|n°|º){0,14}((?=[A-Z]{0,4}[\d-]*\d)[A-Z]{0,4}\d[A-Z\d-]{4,17})(?![\p{L}\p{N}_])/iu;
const ACCOUNT =
  /^(?:["'\s:=#,.()]|numbers?|no\b|nr\b|num\b|is|was|the|my|his|her){0,14}(\d[\d -]{4,20}\d)(?![\p{L}\p{N}_])/iu;
const LABEL_READ = 60;
const DIGITS_LEAST = 5;

function findLabelled(
  text: string,
  labels: RegExp,
  kind: PersonalDataKind,
  pattern: RegExp,
  found: PersonalData[],
): void {
  for (const label of text.matchAll(labels)) {
    const from = label.index + label[0].length;
    const near = pattern.exec(text.slice(from, from + LABEL_READ));
    if (!near || near[1]!.replaceAll(/\D/g, "").length < DIGITS_LEAST) continue;
    const start = from + near[0].length - near[1]!.length;
    const value = near[1]!.replaceAll(/[^A-Za-z0-9]/g, "").toUpperCase();
    if (/^\d{4}-\d{2}-\d{2}$/.test(near[1]!)) continue;
    found.push({ kind, start, end: start + near[1]!.length, value });
  }
}

const IN_IPV6 = /[0-9a-fA-F:.]/;
const IPV6_MAX = 45;
const COLONS_LEAST = 3;

function findIpv6(text: string, found: PersonalData[]): void {
  let from = 0;
  for (let colon = text.indexOf(":"); colon !== -1; colon = text.indexOf(":", Math.max(colon + 1, from))) {
    let start = colon;
    while (start > from && colon - start < 5 && IN_IPV6.test(text[start - 1]!)) start--;
    let end = colon + 1;
    while (end < text.length && end - start <= IPV6_MAX && IN_IPV6.test(text[end]!)) end++;
    from = end;
    const written = text.slice(start, end).replace(/[.:]$/, "");
    if (written.length < 6 || written.split(":").length <= COLONS_LEAST || !/\d/.test(written)) continue;
    if (/[\p{L}\p{N}_]/u.test(text[start - 1] ?? "") || /[\p{L}\p{N}_]/u.test(text[end] ?? "")) continue;
    if (!isIPv6(written)) continue;
    found.push({ kind: "IP address", start, end: start + written.length, value: written.toLowerCase() });
  }
}
