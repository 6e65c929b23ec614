import { excerpt, wholeWords } from "@/server/platform/excerpt";
import { quoteMessage } from "../detectors/reading/evidence";
import { textOf } from "../detectors/reading/text";
import type { ConversationSnapshot, DetectedSignal, Evidence, Severity } from "../types";

/** The Signal for the project's keywords, which every Rule has. */
export const KEYWORD_SIGNAL = "keyword";
export const KEYWORD_SEVERITY: Severity = "medium";

/** Quotes stored per keyword and conversation. */
const EVIDENCE_LIMIT = 20;
/** Instructions are skipped, because they may mention words in order to avoid them. */
const UNREAD_ROLES = new Set(["system", "developer"]);

/** Scripts written without spaces, in which a word may border on any letter. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{M}\p{N}_]/u;
const WORD_BEFORE = "(?<![\\p{L}\\p{M}\\p{N}_])";
const WORD_AFTER = "(?![\\p{L}\\p{M}\\p{N}_])";

const patterns = new Map<string, RegExp>();
/** A project has tens of keywords; the cache is cleared when it is full. */
const PATTERN_LIMIT = 2000;

/** Finds a project's keywords: literal, whole words, case-insensitive, in any language. */
export function keywordSignals(conversation: ConversationSnapshot, keywords: readonly string[]): DetectedSignal[] {
  if (keywords.length === 0) return [];
  const texts = conversation.messages.map((message) => (UNREAD_ROLES.has(message.role) ? "" : textOf(message)));
  const folded = texts.map((text) => text.toLowerCase());
  const seen = new Set<string>();
  return keywords.flatMap((keyword) => {
    const key = keyword.trim().normalize("NFC").toLowerCase();
    if (key === "" || seen.has(key)) return [];
    seen.add(key);
    const evidence = occurrencesOf(conversation, texts, folded, key);
    if (evidence.length === 0) return [];
    return [
      {
        name: KEYWORD_SIGNAL,
        score: 1,
        verdict: "match" as const,
        evidence,
        cause: `keyword: ${key}`,
        title: `The keyword “${wholeWords(keyword, 60)}” is mentioned`,
        summary: `The keyword “${excerpt(keyword, 60)}” occurs ${evidence.length === 1 ? "once" : `${evidence.length} times`}.`,
      },
    ];
  });
}

function occurrencesOf(
  conversation: ConversationSnapshot,
  texts: readonly string[],
  folded: readonly string[],
  key: string,
): Evidence[] {
  const evidence: Evidence[] = [];
  const decomposed = key.normalize("NFD");
  for (const [index, text] of texts.entries()) {
    if (!folded[index]!.includes(key) && !folded[index]!.includes(decomposed)) continue;
    for (const match of text.matchAll(patternOf(key))) {
      evidence.push(quoteMessage(conversation.messages, index, match.index, match.index + match[0].length));
      if (evidence.length === EVIDENCE_LIMIT) return evidence;
    }
  }
  return evidence;
}

function patternOf(key: string): RegExp {
  let pattern = patterns.get(key);
  if (!pattern) {
    if (patterns.size >= PATTERN_LIMIT) patterns.clear();
    const spellings = [...new Set([key, key.normalize("NFD")])].map(escaped).join("|");
    const first = [...key][0]!;
    const last = [...key].at(-1)!;
    const bounded = (edge: string) => WORD.test(edge) && !UNSPACED.test(edge);
    pattern = new RegExp(
      `${bounded(first) ? WORD_BEFORE : ""}(?:${spellings})${bounded(last) ? WORD_AFTER : ""}`,
      "giu",
    );
    patterns.set(key, pattern);
  }
  return pattern;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
