import { readOnce } from "../../reading/read-once";
import { type Hits, hintFinder } from "../../reading/words/hint-finder";
import { CONCEALING_HINTS, type Concealed, concealedText } from "./concealed";
import { ARTICLE, CODE_COMMENT, CUES, type Family, LOOSE_TARGET, MARKER, ORDER, TARGET, URGENCY } from "./cues";
import { isKnown, type LikelyOrder, likelyOrders, type UserRequest } from "./likely-orders";
import { originalRange, rangesAround, type Window, windowOf } from "./window";

/** Text written to the model, at `[start, end)`. */
export type Injection = {
  /** 0..1 */
  score: number;
  families: readonly Family[];
  start: number;
  end: number;
  /** The passage and what follows it, on one line and decoded. */
  says: string;
};

/** Who brought in the text. A user may instruct the model, so only attacks on its instructions count. */
export type Carrier = "tool" | "user";
const OF_USER: ReadonlySet<Family> = new Set(["override", "prompt request"]);

/** Maximum characters read of a message and hints found in it: text full of attacks is one attack. */
const READ = 200_000;
const HITS_MAX = 400;

const MARKER_BIT = CUES.length;
const CONCEALING_BIT = MARKER_BIT + 1;
const TOOL_USE = CUES.reduce((bits, { family }, bit) => (family === "tool use" ? bits | (1 << bit) : bits), 0);
const hintsForTool = hintFinder([...CUES.map(({ hints }) => hints), MARKER.hints, CONCEALING_HINTS], HITS_MAX);
const hintsForUser = hintFinder(
  [...CUES.map(({ family, hints }) => (OF_USER.has(family) ? hints : [])), [], CONCEALING_HINTS],
  HITS_MAX,
);

export const MATCH_SCORE = 0.7;
const LEAST_SCORE = 0.4;
const ABOUT_ATTACKS_SCORE = 0.5;

/** What is known about the conversation that contains the text. */
export type Around = {
  tools: ReadonlySet<string>;
  request: () => UserRequest;
  /** What the agent wrote before. */
  wrote: () => readonly string[];
  /** Families whose cues are ignored, to measure how attacks without them are found. */
  withheld?: ReadonlySet<Family>;
};

/** Returns the passages of text that instruct the model, best first. */
export function readInjections(text: string, carrier: Carrier, around?: Around): Injection[] {
  const read = text.length > READ ? text.slice(0, READ) : text;
  const { hits, orders, concealed } = readOnce(`scan ${carrier}`, read, () => scanned(read, carrier));
  const found = injectionsIn(read, hits, carrier, [], around, plantedOrders(orders, around));
  for (const { text: hidden, start, end, sure } of concealed) {
    const inside = injectionsIn(hidden, hintsForTool(hidden), "tool", ["concealed"], around, []).sort(byScore)[0];
    if (!inside && !sure) continue;
    const { score, families } = inside ?? { score: MATCH_SCORE, families: ["concealed" as const] };
    found.push({ score, families, start, end, says: hidden });
  }
  return found.length > 1 ? found.sort(byScore) : found;
}

/** What a text contains, whatever conversation it is in. */
type Scan = { hits: Hits; orders: readonly LikelyOrder[]; concealed: readonly Concealed[] };

function scanned(text: string, carrier: Carrier): Scan {
  const hits = (carrier === "tool" ? hintsForTool : hintsForUser)(text);
  const hasMarkup = (allBits(hits) & (1 << CONCEALING_BIT)) !== 0;
  return { hits, orders: carrier === "tool" ? likelyOrders(text) : [], concealed: concealedText(text, hasMarkup) };
}

/** Returns the orders that neither the user nor the agent gave and that the user did not tell the agent to follow. */
function plantedOrders(orders: readonly LikelyOrder[], around: Around | undefined): readonly LikelyOrder[] {
  if (orders.length === 0 || !around) return orders;
  const request = around.request();
  if (request.delegates) return [];
  const wrote = around.wrote();
  return orders.filter(({ says }) => !isKnown(says, request, wrote));
}

const byScore = (a: Injection, b: Injection) => b.score - a.score || a.start - b.start;

function injectionsIn(
  text: string,
  hits: Hits,
  carrier: Carrier,
  given: readonly Family[],
  around: Around | undefined,
  orders: readonly LikelyOrder[],
): Injection[] {
  if (hits.positions.length === 0 && orders.length === 0) return [];
  if (given.length === 0 && orders.length === 0 && !maySuffice(allBits(hits), carrier)) return [];
  const found: Injection[] = [];
  const positions =
    orders.length === 0
      ? hits.positions
      : [...hits.positions, ...orders.map((order) => order.start)].sort((a, b) => a - b);
  let next = 0;
  for (const [start, end] of rangesAround(text.length, positions)) {
    let bits = 0;
    while (next > 0 && hits.positions[next - 1]! >= start) next--;
    for (; next < hits.positions.length && hits.positions[next]! < end; next++) bits |= hits.bits[next]!;
    const inside = orders.filter((order) => order.start >= start && order.end <= end);
    if (given.length === 0 && inside.length === 0 && !maySuffice(bits, carrier)) continue;
    const injection = readWindow(windowOf(text, start, end), bits, carrier, given, around, inside);
    if (injection && found.push(injection) === FOUND_MAX) break;
  }
  return found;
}

function allBits({ bits }: Hits): number {
  let all = 0;
  for (const some of bits) all |= some;
  return all;
}

/** Text full of attacks is one attack. */
const FOUND_MAX = 20;

const suffices = new Map<number, boolean>();
const CACHED_MAX = 10_000;

/** Returns whether the cues that hints announce, together with an order, could be a match. */
function maySuffice(bits: number, carrier: Carrier): boolean {
  if ((bits & (1 << MARKER_BIT)) !== 0) return true;
  const key = carrier === "tool" ? bits : ~bits;
  let known = suffices.get(key);
  if (known === undefined) {
    const seen = CUES.filter(
      ({ family }, index) => (bits & (1 << index)) !== 0 && (carrier === "tool" || OF_USER.has(family)),
    ).map(({ family, weight }) => ({ family, weight, start: 0, end: 0 }));
    if (carrier === "tool") seen.push({ family: "action", weight: ORDER_WEIGHT, start: 0, end: 0 });
    known = combined(seen, []) >= MATCH_SCORE;
    if (suffices.size >= CACHED_MAX) suffices.clear();
    suffices.set(key, known);
  }
  return known;
}

type Seen = { family: Family; weight: number; start: number; end: number };

function readWindow(
  window: Window,
  bits: number,
  carrier: Carrier,
  given: readonly Family[],
  around: Around | undefined,
  orders: readonly LikelyOrder[],
): Injection | null {
  const { text } = window;
  const judge = () => judgeWindow(text, bits, carrier, given, around, orders);
  const named = (bits & TOOL_USE) === 0 ? [] : [...(around?.tools ?? [])].filter((tool) => text.includes(tool)).sort();
  const says = orders.map((order) => order.says);
  const judged = around?.withheld
    ? judge()
    : readOnce(`window ${JSON.stringify([carrier, bits, given, named, says])}`, text, judge);
  if (!judged) return null;
  const { score, families, start, end } = judged;
  const [from, to] = originalRange(window, start, end);
  return { score, families, start: from, end: to, says: text.slice(start, end + SAYS_MORE) };
}

/** Returns what makes a window an injection, with its range in the window. */
function judgeWindow(
  text: string,
  bits: number,
  carrier: Carrier,
  given: readonly Family[],
  around: Around | undefined,
  orders: readonly LikelyOrder[],
): Omit<Injection, "says"> | null {
  const seen = cuesIn(text, bits, carrier, around);
  const marked = carrier === "tool" && (bits & (1 << MARKER_BIT)) !== 0 && !around?.withheld?.has("marker");
  if (seen.length === 0 && orders.length === 0 && !marked) return null;
  if (carrier === "tool") {
    const order = orderIn(text, marked, Math.min(...seen.map((one) => one.start)) - BEFORE_CUE);
    if (seen.length === 0 && orders.length === 0 && order?.length !== 2) return null;
    if (order) seen.push(...order);
    seen.push(...likeliest(text, orders, order === null));
  }
  const urgency = seen.some(({ family }) => family !== "order" && family !== "action") && URGENCY.pattern.exec(text);
  if (urgency) seen.push({ ...URGENCY, start: urgency.index, end: urgency.index + urgency[0].length });
  const score = combined(seen, given);
  if (score < LEAST_SCORE) return null;
  return {
    score: isAboutAttacks(text, seen) ? Math.min(score, ABOUT_ATTACKS_SCORE) : score,
    families: [...new Set([...given, ...seen.map(({ family }) => family)])],
    start: Math.min(...seen.map((one) => one.start)),
    end: Math.max(...seen.map((one) => one.end)),
  };
}

/** Returns the likeliest order, and its target as an action. Only one, so that a list of tasks does not become an attack. */
function likeliest(text: string, orders: readonly LikelyOrder[], withTarget: boolean): Seen[] {
  if (orders.length === 0) return [];
  const { says, weight, hasTarget } = orders.reduce((best, order) => (order.weight > best.weight ? order : best));
  const start = text.indexOf(says);
  if (start < 0) return [];
  const order: Seen = { family: "order", weight, start, end: start + says.length };
  return hasTarget && withTarget ? [order, { ...order, family: "action", weight: ORDER_WEIGHT }] : [order];
}

const SAYS_MORE = 300;
const ALL_CUES = (1 << CUES.length) - 1;
const LAST_BIT = 31;
const KNOWN_TOOL_WEIGHT = 0.5;

function cuesIn(text: string, bits: number, carrier: Carrier, around: Around | undefined): Seen[] {
  const { tools, withheld } = around ?? {};
  const seen: Seen[] = [];
  for (let rest = bits & ALL_CUES; rest !== 0; rest &= rest - 1) {
    const { family, weight, pattern } = CUES[LAST_BIT - Math.clz32(rest & -rest)]!;
    if ((carrier === "user" && !OF_USER.has(family)) || withheld?.has(family)) continue;
    const match = pattern.exec(text);
    if (!match) continue;
    const isKnown = family === "tool use" && tools !== undefined && namesOneOf(match[0], tools);
    seen.push({
      family,
      weight: isKnown ? KNOWN_TOOL_WEIGHT : weight,
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  return seen;
}

const namesOneOf = (text: string, tools: ReadonlySet<string>) =>
  (text.match(/\w{3,60}/g) ?? []).some((word) => tools.has(word));

const CONCEALED_WEIGHT = 0.5;
/** Within a family, the strongest cue counts in full and the others by half. */
const FURTHER_SHARE = 0.5;

/** Combines cues as if each were independent evidence. */
function combined(seen: readonly Seen[], given: readonly Family[]): number {
  const byFamily = new Map<Family, number[]>();
  for (const family of given) byFamily.set(family, [CONCEALED_WEIGHT]);
  for (const { family, weight } of seen) byFamily.set(family, [...(byFamily.get(family) ?? []), weight]);
  let none = 1;
  for (const weights of byFamily.values()) {
    weights.sort((a, b) => b - a);
    for (const [rank, weight] of weights.entries()) none *= 1 - (rank === 0 ? weight : weight * FURTHER_SHARE);
  }
  return Math.min(0.99, Number((1 - none).toFixed(3)));
}

const ORDER_WEIGHT = 0.38;
const MARKED_WEIGHT = 0.55;
const SENTENCE_START =
  /(?:^|[.!?:;>\n"'`)(,*\-\]]|\b(?:following|first|instructions?|instead|and|then|do|please|kindly|to|must|should)) ?["'“‘*]{0,2}/gi;
const ORDER_READ = 220;

/** Characters by which an order may precede the cue that gives it away. */
const BEFORE_CUE = 120;

/** Returns an order with a target that opens a sentence, from `first` on, or a marked one anywhere. */
function orderIn(text: string, marked: boolean, first: number): Seen[] | null {
  let best: Seen[] | null = null;
  for (const opening of text.matchAll(SENTENCE_START)) {
    const at = opening.index + opening[0].length;
    ORDER.lastIndex = at;
    if (!ORDER.test(text)) continue;
    const marker = marked ? MARKER.pattern.exec(text.slice(Math.max(0, at - 24), at)) : null;
    const isMarker =
      marker !== null && !CODE_COMMENT.test(text.slice(Math.max(0, at - marker[0].length - 24), at - marker[0].length));
    if (!isMarker && (best || at < first)) continue;
    const said = text.slice(at, at + ORDER_READ);
    const target = TARGET.exec(said) ?? (isMarker ? LOOSE_TARGET.exec(said) : null);
    if (!target) continue;
    const order: Seen = {
      family: "action",
      weight: ORDER_WEIGHT,
      start: at,
      end: at + target.index + target[0].length,
    };
    if (isMarker) return [order, { family: "marker", weight: MARKED_WEIGHT, start: at - marker[0].length, end: at }];
    best = [order];
    if (!marked) break;
  }
  return best;
}

const ARTICLE_WORDS = 3;
const QUOTES = /["“”„«»`「」]/;

/** Returns whether text discusses attacks: it has several words of such articles, or one and the attack is quoted. */
function isAboutAttacks(text: string, seen: readonly Seen[]): boolean {
  const words = new Set([...text.matchAll(ARTICLE)].map(([word]) => word.toLowerCase()));
  if (words.size >= ARTICLE_WORDS) return true;
  return words.size > 0 && seen.every(({ start, end }) => isQuoted(text, start, end));
}

function isQuoted(text: string, start: number, end: number): boolean {
  return QUOTES.test(text.slice(Math.max(0, start - 60), start + 1)) && QUOTES.test(text.slice(end - 1, end + 120));
}
