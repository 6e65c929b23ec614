/** Distinct symbols, and pairs of adjacent ones, that are indexed per text: prose has a dozen, code a hundred. */
const SYMBOLS_MAX = 300;

const SYMBOLS = /[\p{P}\p{S}]+/gu;
/** The same runs in text of ASCII characters, several times faster. */
const ASCII_SYMBOLS = /[!-/:-@[-`{-~]+/g;
const NOT_ASCII = /[^\0-\x7f]/;
/** What is neither a symbol nor belongs to one, as the variation selector and the joiner of an emoji do. */
const WORDS = /[\p{L}\p{N}]/u;

/** Adds the symbols of a text, such as `%` and `🧪`, and each two that are adjacent, up to the limit. */
export function addSymbols(symbols: Set<string>, text: string) {
  if (symbols.size >= SYMBOLS_MAX) return;
  const isAscii = !NOT_ASCII.test(text);
  for (const run of (isAscii ? text.match(ASCII_SYMBOLS) : text.normalize("NFKC").match(SYMBOLS)) ?? []) {
    if (run.length === 1) {
      symbols.add(run);
      continue;
    }
    let before = "";
    for (const symbol of run) {
      symbols.add(symbol);
      if (before !== "") symbols.add(before + symbol);
      before = symbol;
      if (symbols.size >= SYMBOLS_MAX) return;
    }
  }
}

/** Returns the symbols that a text consists of, with each two that are adjacent; none if it has words. */
export function onlySymbolsOf(text: string): string[] {
  if (WORDS.test(text)) return [];
  const symbols = new Set<string>();
  addSymbols(symbols, text);
  return [...symbols];
}
