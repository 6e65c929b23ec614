import { DAY_MS } from "@/server/platform/durations";
import type { Fact } from "../reading/result-facts";

/** How a stated value contradicts a tool's: `certain` where nothing but an error explains it. */
export type Contradiction = { kind: "status" | "yes/no" | "id" | "date" | "number"; certain: boolean };

/** Statuses that exclude one another. A word in no group, or in the same one, contradicts nothing. */
const STATUS_GROUPS: readonly (readonly string[])[] = [
  ["pending", "awaiting", "processing", "queued", "in progress", "in_progress"],
  ["shipped", "in transit", "in_transit", "dispatched", "on the way"],
  ["delivered", "received"],
  ["cancelled", "canceled"],
  ["returned", "refunded"],
  ["active", "enabled", "on", "open", "online", "connected"],
  ["inactive", "disabled", "off", "closed", "offline", "suspended", "disconnected", "deactivated"],
  ["approved", "accepted", "granted"],
  ["denied", "rejected", "declined", "refused"],
  ["paid"],
  ["unpaid", "overdue"],
  ["available", "in stock", "in_stock"],
  ["unavailable", "out of stock", "out_of_stock", "sold out", "not available"],
  ["succeeded", "success", "successful"],
  ["failed", "failure", "error"],
];
const GROUP = new Map(STATUS_GROUPS.flatMap((words, group) => words.map((word) => [word, group] as const)));

const YES = /^(?:yes|true|ja|oui|sí|si|はい|是)\b/i;
const NO = /^(?:no|false|nein|non|いいえ|否)\b(?! (?:problem|longer|worries))/i;

/** Returns how what a reply states contradicts the one value that tools returned for this key, or `null`. */
export function contradiction(key: string, stated: string, fact: Fact): Contradiction | null {
  if (typeof fact === "boolean") {
    const said = YES.test(stated) ? true : NO.test(stated) ? false : null;
    return said !== null && said !== fact ? { kind: "yes/no", certain: true } : null;
  }
  if (typeof fact === "number") return numberContradiction(stated, fact);
  return (
    statusContradiction(stated, fact) ??
    dateContradiction(stated, fact) ??
    idContradiction(key, stated, fact) ??
    (/^[$€£]?-?\d[\d,]*(?:\.\d+)?$/.test(fact.trim()) && !ID_KEY.test(key)
      ? numberContradiction(stated, Number(fact.replace(/[$€£,]/g, "")))
      : null)
  );
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[*_`"'“”]+/g, (mark) => (mark.includes("_") ? "_" : ""))
    .trim();

/** A status is its first words: "Delivered on May 3", "Pending (item modified)". */
function statusOf(text: string): number | undefined {
  const words = plain(text.slice(0, STATUS_READ)).split(/[ (,]+/, STATUS_WORDS);
  for (let count = words.length; count > 0; count--) {
    const group = GROUP.get(words.slice(0, count).join(" "));
    if (group !== undefined) return group;
  }
  return undefined;
}
const STATUS_READ = 40;
const STATUS_WORDS = 3;

function statusContradiction(stated: string, fact: string): Contradiction | null {
  const [said, is] = [statusOf(stated), statusOf(fact)];
  return said !== undefined && is !== undefined && said !== is ? { kind: "status", certain: true } : null;
}

const ID_KEY = /(?:^|_)(?:id|number|code|reference|tracking|confirmation|sku|iban|no)$/;
/** Shorter ids may be counts rather than identifiers. */
const ID_LENGTH = 5;

function idContradiction(key: string, stated: string, fact: string): Contradiction | null {
  if (!ID_KEY.test(key) || /\s/.test(fact.trim()) || !/\d/.test(fact)) return null;
  const said = /^[#`*( ]{0,3}([\w-]{2,60})/.exec(stated)?.[1];
  if (!said || !/\d/.test(said)) return null;
  const [a, b] = [bare(said), bare(fact)];
  // A masked, shortened or prefixed id is the same id.
  if (a.length < ID_LENGTH || a.length !== b.length || a === b) return null;
  return { kind: "id", certain: true };
}
const bare = (id: string) => id.toLowerCase().replace(/[^a-z0-9]/g, "");

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Returns the day of a date with a year, in days since 1970; `null` for anything that may be read in two ways. */
function dayOf(text: string): number | null {
  const iso = /\b(\d{4})-(\d{2})-(\d{2})\b/.exec(text);
  if (iso) return Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])) / DAY_MS;
  const named =
    /\b([A-Za-z]{3})[a-z]{0,6}\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b/.exec(text) ??
    /\b(\d{1,2})(?:st|nd|rd|th|\.)? ([A-Za-z]{3})[a-z]{0,6}\.?,? (\d{4})\b/.exec(text);
  if (!named) return null;
  const [month, day] = /^\d/.test(named[1]!) ? [named[2]!, named[1]!] : [named[1]!, named[2]!];
  const index = MONTHS.indexOf(month.toLowerCase());
  return index < 0 ? null : Date.UTC(Number(named[3]), index, Number(day)) / DAY_MS;
}

function dateContradiction(stated: string, fact: string): Contradiction | null {
  const is = dayOf(fact);
  const said = is === null ? null : dayOf(stated);
  // Another time zone may make it the day before or after.
  return is !== null && said !== null && Math.abs(is - said) > 1 ? { kind: "date", certain: true } : null;
}

/** Factors by which another unit, or a currency's subunit, changes a number. */
const UNITS = [
  7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 1024, 3600, 60_000, 86_400, 1_000_000, 1_048_576, 1_073_741_824,
];
/** Maximum relative difference that rounding explains. */
const ROUNDING = 0.06;

function numberContradiction(stated: string, fact: number): Contradiction | null {
  const found =
    /^(?:about |around |approximately |~ ?|≈ ?)?(-?[$€£¥]? ?-?\d[\d,]{0,15}(?:\.\d{1,6})?)(?:\s?(%|[a-z]{1,12}))?/i.exec(
      stated,
    );
  if (!found || !Number.isFinite(fact)) return null;
  // "3 of 5", "12:30", "1/2", "2024-05-01", a range or a sum are not single numbers.
  if (/^\s?(?:[:/x×+=–]|-\d|of\b|to\b|out\b|-\s?\d)/i.test(stated.slice(found[0].length))) return null;
  const said = Number(found[1]!.replace(/[$€£¥, ]/g, ""));
  if (!Number.isFinite(said)) return null;
  const [a, b] = [Math.abs(said), Math.abs(fact)];
  const difference = Math.abs(a - b);
  if (difference <= Math.max(1, b * ROUNDING))
    return difference > 0.011 && isMoney(stated) ? { kind: "number", certain: false } : null;
  if (b === 0 || a === 0) return { kind: "number", certain: false };
  const factor = Math.max(a, b) / Math.min(a, b);
  if (UNITS.some((unit) => Math.abs(factor / unit - 1) < ROUNDING)) return null;
  if (/^[a-z]{2,}$/i.test(found[2] ?? "") && !/^(?:usd|eur|gbp|dollars|euros|items?|points?)$/i.test(found[2]!))
    return null;
  return { kind: "number", certain: true };
}
const isMoney = (stated: string) => /^[$€£]/.test(stated.trim());
