import type { Vendor } from "../matching/providers";
import { TRUNCATED_PREFIXES } from "./corrections";

/** How the catalogue describes the names of a row (`@pydantic/genai-prices`, type `MatchLogic`). */
export type MatchLogic =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: MatchLogic[] }
  | { and: MatchLogic[] };

/** `names` match as they are or with a date; `stems` also with a stage such as `-preview`. */
export type ModelNames = { names: string[]; stems: string[] };

const MONTH = "(?:0[1-9]|1[0-2])";
const DAY = "(?:0[1-9]|[12]\\d|3[01])";
export const FULL_DATE = `20\\d\\d-?${MONTH}-?${DAY}`;
export const MONTH_AND_DAY = `${MONTH}-?${DAY}`;
export const MONTH_AND_YEAR = `${MONTH}-20\\d\\d`;

type Tails = { dated: string; staged: string };

/**
 * Suffixes that each vendor appends without making it another model. A name with any other suffix is unknown, because a
 * wrong price is worse than none: `claude-opus-4-10` is not `claude-opus-4-1`.
 */
const TAILS: Record<Vendor, Tails> = {
  openai: { dated: `-${FULL_DATE}`, staged: `(?:-preview)?(?:-${FULL_DATE})?` },
  anthropic: { dated: `-latest|(?:-v\\d)?(?:-${FULL_DATE})?`, staged: `-latest|(?:-v\\d)?(?:-${FULL_DATE})?` },
  google: {
    dated: `-(?:latest|\\d{3}|${FULL_DATE})`,
    staged: `-latest|(?:-preview|-exp)?(?:-(?:\\d{3}|${MONTH_AND_DAY}|${MONTH_AND_YEAR}|${FULL_DATE}))?`,
  },
  xai: { dated: `-(?:latest|beta|${MONTH_AND_DAY}|${FULL_DATE})`, staged: `-(?:latest|beta|${FULL_DATE})` },
  // At Mistral and Cohere a date is a release with its own price, so only listed dates match.
  mistral: { dated: "", staged: "-(?:latest|\\d{4})" },
  cohere: { dated: "", staged: "" },
  deepseek: { dated: `-${FULL_DATE}`, staged: `-(?:${MONTH}${DAY}|${FULL_DATE})` },
  moonshotai: { dated: `-${FULL_DATE}`, staged: `-(?:preview|${MONTH}${DAY}|${FULL_DATE})` },
  zai: { dated: `-${FULL_DATE}`, staged: "" },
  minimax: { dated: `-${FULL_DATE}`, staged: "" },
};

/** The same without dates, for models with a snapshot at another price. */
const UNDATED_TAILS: Partial<Record<Vendor, Tails>> = {
  openai: { dated: "", staged: "(?:-preview)?" },
  google: { dated: "-(?:latest|\\d{3})", staged: "-latest|(?:-preview|-exp)?(?:-\\d{3})?" },
  deepseek: { dated: "", staged: "" },
  moonshotai: { dated: "", staged: "-preview" },
};

function tailsOf(provider: Vendor, datedTails: boolean): Tails {
  const tails = datedTails ? TAILS[provider] : UNDATED_TAILS[provider];
  if (!tails) throw new Error(`A snapshot of ${provider} has a different price: add the vendor to UNDATED_TAILS.`);
  return tails;
}

/** Returns the literal names in a catalogue row's match logic. Throws on unknown logic, so that it is noticed. */
export function namesIn(logic: MatchLogic): ModelNames {
  if ("or" in logic) return merge(logic.or.map(namesIn));
  if ("and" in logic) return merge(logic.and.filter((part) => !isExclusion(part)).map(namesIn));
  if ("equals" in logic) return { names: [logic.equals], stems: [] };
  if ("ends_with" in logic) return { names: [logic.ends_with], stems: [] };
  if ("starts_with" in logic) return stem(logic.starts_with);
  if ("contains" in logic) return stem(logic.contains);
  return { names: [datedName(logic.regex)], stems: [] };
}

/** A negative lookahead that excludes siblings, which our bounded tails never match anyway. */
const isExclusion = (logic: MatchLogic) => "regex" in logic && logic.regex.startsWith("^(?!");

const merge = (parts: ModelNames[]): ModelNames => ({
  names: parts.flatMap((part) => part.names),
  stems: parts.flatMap((part) => part.stems),
});

function stem(prefix: string): ModelNames {
  const known = TRUNCATED_PREFIXES[prefix];
  if (known === null) return { names: [], stems: [] };
  return { names: [], stems: [known ?? prefix.replace(/-20\d\d-?$|[-@]$/, "")] };
}

/** Returns the name in a pattern such as `^grok-4\.3-\d{8}$`, which stands for the name with a date. */
function datedName(regex: string) {
  const name = /^\^((?:[\w-]|\\\.|\/)+?)-\\d(?:\{\d\}|-|\\d)*\$?$/.exec(regex)?.[1];
  if (!name) throw new Error(`The catalogue has an unknown kind of pattern: ${regex}`);
  return name.replaceAll("\\.", ".");
}

/** `grok-4-1-fast` is version 4.1. Longer numbers are dates and sizes, which have no dot. */
const DASHED_VERSION = /(?<=-)(\d)-(\d)(?=-|$)/;

const DASHED_DATE = /(?<=-20\d\d)-(\d\d)-(\d\d)(?=$|-)/;

/** Returns all spellings of a name: versions with dash or dot, Claude's parts in either order, Azure's `gpt-35`, dates. */
export function spellings(provider: Vendor, name: string): string[] {
  const lower = name.toLowerCase();
  const all = new Set([lower, lower.replace(DASHED_VERSION, "$1.$2"), lower.replace(DASHED_DATE, "$1$2")]);
  if (provider === "anthropic") {
    const [, version, family] = /^claude-(\d(?:[.-]\d)?)-([a-z]+)$/.exec(lower) ?? [];
    const [, laterFamily, laterVersion] = /^claude-([a-z]+)-(\d(?:[.-]\d)?)$/.exec(lower) ?? [];
    const [f, v] = family ? [family, version] : [laterFamily, laterVersion];
    if (f && v)
      for (const dot of [".", "-"]) {
        const spelled = v.replace(/[.-]/, dot);
        all.add(`claude-${f}-${spelled}`).add(`claude-${spelled}-${f}`);
      }
  }
  if (lower.startsWith("gpt-3.5")) all.add(lower.replace("gpt-3.5", "gpt-35"));
  for (const spelling of [...all]) all.add(spelling.replace(/(?<=\d)\.(?=\d)/g, "-"));
  return [...all];
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns an alternation of names in which a version's dot may be a dash. */
const branches = (names: string[]) => {
  const list = names.map((name) => literal(name).replace(/(?<=\d)\\\.(?=\d)/g, "[.-]"));
  return list.length === 1 ? list[0]! : `(?:${list.join("|")})`;
};

const withTail = (names: string[], tail: string) =>
  names.length === 0 ? [] : [branches(names) + (tail ? `(?:${tail})?` : "")];

/** A fine-tune is `ft:<base with its date>:<organisation>:<suffix>:<id>`; price lists have only the base. */
const FINE_TUNE_TAIL = `(?:-${FULL_DATE}|-${MONTH}${DAY})?(?::[^/]*)?`;

/**
 * Returns the RE2 pattern of a definition: its names, anchored at both ends, with its vendor's tails. Without `datedTails`
 * a date that is not part of a name does not match.
 */
export function matchPatternOf(provider: Vendor, { names, stems }: ModelNames, datedTails = true): string {
  const tails = tailsOf(provider, datedTails);
  let kept: ModelNames = { names: [], stems: [] };
  let pattern = "";
  // Stems before names, short before long and dots before dashes, so that names already matched can be skipped.
  for (const stem of inOrder(stems)) {
    if (pattern && new RegExp(pattern).test(stem)) continue;
    kept = { ...kept, stems: [...kept.stems, stem] };
    pattern = bounded(tails, kept);
  }
  for (const name of inOrder(names)) {
    if (pattern && new RegExp(pattern).test(name)) continue;
    kept = { ...kept, names: [...kept.names, name] };
    pattern = bounded(tails, kept);
  }
  return `(?i)${pattern}`;
}

const inOrder = (names: string[]) =>
  [...names].sort((a, b) => a.length - b.length || b.split(".").length - a.split(".").length || (a < b ? -1 : 1));

function bounded({ dated, staged }: Tails, { names, stems }: ModelNames): string {
  const fineTuned = (name: string) => name.startsWith("ft:");
  const fineTunedOnAzure = (name: string) => name.endsWith(".ft");
  const parts = [
    ...withTail(names, dated),
    ...withTail(
      stems.filter((name) => !fineTuned(name) && !fineTunedOnAzure(name)),
      staged,
    ),
    ...withTail(stems.filter(fineTuned), FINE_TUNE_TAIL),
    ...withTail(stems.filter(fineTunedOnAzure), "-[^/]*"),
  ];
  return `^${parts.length === 1 ? parts[0] : `(?:${parts.join("|")})`}$`;
}
