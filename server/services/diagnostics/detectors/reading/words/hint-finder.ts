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
    const [known, key] = isWide(forms[0]!)
      ? [byWide, forms[0]!]
      : [byKey, forms.slice(0, KEY_LENGTH).reduce(nextKey, 0)];
    known.set(key, [...(known.get(key) ?? []), { forms, bits }]);
    if (known === byKey) places[placeOf(key)] = 1;
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

/** Characters that are searched for candidates at once, few enough that their code units are still cached. */
const BLOCK = 4096;
const candidates = new Uint32Array(BLOCK);

/**
 * One function for all finders: the compiler can inline a module's constants, but not those captured by several closures. First
 * collects where a hint may be, without a branch, because a misprediction costs more than several characters.
 */
function find(text: string, { places, byKey, byWide, hitsMax }: Tables): Hits {
  const codes = codeUnits(text);
  const { length } = text;
  const hits: GrowingHits = { positions: [], bits: [] };
  let key = 0;
  for (let from = 0; from < length && hits.positions.length < hitsMax; from += BLOCK) {
    const to = Math.min(length, from + BLOCK);
    let count = 0;
    for (let at = from; at < to; at++) {
      const form = FORMS[codes[at]!]!;
      key = nextKey(key, form);
      candidates[count] = at;
      count += places[placeOf(key)]! | isWide(form);
    }
    for (let nth = 0; nth < count && hits.positions.length < hitsMax; nth++) {
      const at = candidates[nth]!;
      add(codes, length, at - KEY_LENGTH + 1, byKey.get(keyAt(codes, at)), hits);
      add(codes, length, at, byWide.get(FORMS[codes[at]!]!), hits);
    }
  }
  return hits.positions.length === 0 ? NONE : hits;
}

/** Returns 1 if the form is of a script with many characters, otherwise 0. */
const isWide = (form: number) => (WIDE - 1 - form) >>> 31;

const nextKey = (key: number, form: number) => ((key << SHIFT) ^ form) & KEYS;
const placeOf = (key: number) => (key ^ (key >>> PLACE_SHIFT)) & PLACES;

/** Returns the key of the characters that end at a position. */
function keyAt(codes: Uint16Array, end: number): number {
  let key = 0;
  for (let at = Math.max(0, end - KEY_LENGTH + 1); at <= end; at++) key = nextKey(key, FORMS[codes[at]!]!);
  return key;
}

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
