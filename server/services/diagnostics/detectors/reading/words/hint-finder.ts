import { codeUnits } from "../code-units";

/** Positions of hints in a text (ascending), each with the bits of the patterns that it hints at. */
export type Hits = { positions: readonly number[]; bits: readonly number[] };
const NONE: Hits = { positions: [], bits: [] };

/** The form of white space and most punctuation, so that a hint can include a word boundary. Letters become lower case. */
const BLANK = 0x20;
const KEPT = new Set("<>|[]{}!_`$#/".split("").map((character) => character.charCodeAt(0)));
const FORMS = Uint16Array.from({ length: 0x1_0000 }, (_, code) => formOf(code));

function formOf(code: number): number {
  if (code >= 0x80) return String.fromCharCode(code).toLowerCase().charCodeAt(0) || code;
  if (code >= 0x41 && code <= 0x5a) return code | 0x20;
  const isWord = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return isWord || KEPT.has(code) ? code : BLANK;
}

/** Hints are looked up by their first four characters, or by the first one in scripts with many characters. */
const KEY_LENGTH = 4;
const SHIFT = 5;
const KEYS = (1 << (SHIFT * KEY_LENGTH)) - 1;
/** Few enough slots to fit into the L1 cache beside the text, and enough that few of its keys collide with a hint's. */
const PLACES = 0x7fff;
const PLACE_SHIFT = 5;
const WIDE = 0x0e00;

type Hint = { forms: Uint16Array; bits: number };

/**
 * Returns a function that finds all hints in one pass. Hints have at least four characters, or two in a script with many; each
 * list of hints gets a bit. Case doesn't matter.
 */
export function hintFinder(lists: readonly (readonly string[])[], hitsMax: number): (text: string) => Hits {
  const bitsByHint = new Map<string, number>();
  for (const [bit, hints] of lists.entries()) {
    for (const hint of hints) bitsByHint.set(hint, (bitsByHint.get(hint) ?? 0) | (1 << bit));
  }
  /** Indexed by slot: whether a hint's key maps to it. Avoids looking up most keys. */
  const places = new Uint8Array(PLACES + 1);
  const byKey = new Map<number, Hint[]>();
  const byWide = new Map<number, Hint[]>();
  for (const [hint, bits] of bitsByHint) {
    const forms = Uint16Array.from({ length: hint.length }, (_, at) => FORMS[hint.charCodeAt(at)]!);
    const isWide = forms[0]! >= WIDE;
    const [known, key] = isWide ? [byWide, forms[0]!] : [byKey, forms.slice(0, KEY_LENGTH).reduce(nextKey, 0)];
    known.set(key, [...(known.get(key) ?? []), { forms, bits }]);
    if (!isWide) places[placeOf(key)] = 1;
  }
  const tables = { places, byKey, byWide, hitsMax };
  return (text) => find(text, tables);
}

type Tables = {
  places: Uint8Array;
  byKey: ReadonlyMap<number, readonly Hint[]>;
  byWide: ReadonlyMap<number, readonly Hint[]>;
  hitsMax: number;
};

/** One function for all finders: the compiler can inline a module's constants, but not those captured by several closures. */
function find(text: string, { places, byKey, byWide, hitsMax }: Tables): Hits {
  const codes = codeUnits(text);
  const { length } = text;
  const hits: GrowingHits = { positions: [], bits: [] };
  let key = 0;
  for (let at = 0; at < length; at++) {
    const form = FORMS[codes[at]!]!;
    key = nextKey(key, form);
    const place = places[placeOf(key)]!;
    if (place === 0 && form < WIDE) continue;
    if (place !== 0) add(codes, length, at - KEY_LENGTH + 1, byKey.get(key), hits);
    if (form >= WIDE) add(codes, length, at, byWide.get(form), hits);
    if (hits.positions.length >= hitsMax) break;
  }
  return hits.positions.length === 0 ? NONE : hits;
}

const nextKey = (key: number, form: number) => ((key << SHIFT) ^ form) & KEYS;
const placeOf = (key: number) => (key ^ (key >>> PLACE_SHIFT)) & PLACES;

type GrowingHits = { positions: number[]; bits: number[] };

function add(
  codes: Uint16Array,
  length: number,
  start: number,
  hints: readonly Hint[] | undefined,
  hits: GrowingHits,
): void {
  if (hints === undefined || start < 0) return;
  for (const { forms, bits } of hints) {
    if (start + forms.length > length) continue;
    // Compares from the end, because hints with the same key begin alike.
    let at = forms.length - 1;
    while (at >= 0 && FORMS[codes[start + at]!] === forms[at]) at--;
    if (at >= 0) continue;
    hits.positions.push(start);
    hits.bits.push(bits);
  }
}
