import { codeUnits } from "../../reading/code-units";

/** A sentence that may give an order: `[start, end)` in the text. */
export type OrderSentence = readonly [start: number, end: number];

/** Words before the verb of an order: "please", "you must", "I want you to". */
const LEADS =
  "please kindly now then and also first firstly second next finally lastly do just simply immediately instead so but you must should shall need have to i we want would like ask could can will let's lets make sure be certain remember always your task is here for me";
const LEADS_MAXIMUM = 6;

/** What agents can do with a user's data, money, devices and messages, and what text asks of a model. */
const VERBS = `access accept acknowledge activate add adhere adopt advise alert allocate allow alter analyze announce answer append apply approve archive
  arrange assign assume attach authenticate authorize back backup ban block book browse buy bypass calculate call cancel change charge check
  choose classify clear click clone close collect commit compile complete compose compromise compute concatenate conduct configure confirm
  connect consider contact convert convince copy craft create deactivate debit decode decrypt delete deliver deploy deposit describe design
  determine develop disable disclose discard disregard dispatch display distribute divert donate download draft drop dump edit e-mail email
  embed emphasize enable encode encourage encrypt end enter erase escalate evaluate execute explain export expose extract fabricate fetch
  fill find fire flag focus follow forget format forward gather generate get give go grant guide halt hand harvest help hide identify ignore
  implement import incorporate increase include infer inform initiate inject insert install instruct integrate introduce invest invite invoke
  issue join keep kill launch leak leave list listen load locate lock log login look lower mail make manage manipulate mark mask mention merge message
  modify monitor move mute navigate neglect notify obey obtain offer omit open order organize output overlook override overwrite pause pay perform
  persuade place play post preserve press pretend print prioritize proceed process procure produce promote prompt propose provide publish
  pull purchase purge push put query quote raise rank rate read rebook receive recite recommend record redirect reduce refer reference refund refuse
  register reject release relocate remind remove rename render renew repeat replace reply report request reroute reserve reset resolve respond restart
  restore restrict retain retrieve retrive return reveal reverse revert review revise revoke rewrite run save say scan schedule search secure
  select sell send set share shift show shut sign skip speak spread start state stop store submit subscribe substitute suggest summarise
  summarize support suspend swap switch take talk tell terminate text trade transfer transform translate transmit treat trigger turn tweet
  uninstall unlock unsubscribe update upgrade upload use utilize validate verify view visit wipe wire withdraw withhold write`;

const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;
const PLACES = 0x3fff;
const LEAD = 1;
const VERB = 2;
/** By hash slot: whether a word in it may be a lead or a verb. Most words are neither, and need no string allocated. */
const MAY_BE = new Uint8Array(PLACES + 1);
const WORDS = new Map<string, number>();
for (const [list, kind] of [
  [LEADS, LEAD],
  [VERBS, VERB],
] as const) {
  for (const word of list.split(/\s+/)) {
    let hash = HASH_START;
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), HASH_FACTOR);
    MAY_BE[hash & PLACES] = 1;
    WORDS.set(word, kind);
  }
}

const OTHER = 0;
/** Ends a sentence: a word may follow in any case. */
const STOP = 1;
/** Opens a field or a quotation: what follows in lower case is a name rather than a sentence. */
const OPENING = 2;
/** Separates fields if no space follows. */
const COMMA = 3;
/** Opens a sentence in lower case if a space follows. */
const COLON = 4;
const ESCAPE = 5;
const LETTER = 6;
const BLANK = 7;
const ASCII = 0x80;
const KINDS = new Uint8Array(ASCII);
for (let code = 0x41; code <= 0x5a; code++) KINDS[code] = KINDS[code + 0x20] = LETTER;
for (const [kind, marks] of [
  [BLANK, "\t "],
  [STOP, "\n\r.!?;>*|"],
  [OPENING, "\"'`()[]{}#-"],
  [COMMA, ","],
  [COLON, ":"],
  [ESCAPE, "\\"],
] as const) {
  for (const mark of marks) KINDS[mark.charCodeAt(0)] = kind;
}
const UPPER = 8;
const KINDS_CASED = KINDS.slice().fill(UPPER, 0x41, 0x5b);
const KIND_BITS = 4;

/**
 * The mark before the next character, or `LETTER` where a sentence may begin, by the mark before this one and this one's kind.
 * A table, because mispredicted branches at the ends of words would cost more than everything else.
 */
const MARK_AFTER = Uint8Array.from({ length: (ESCAPE + 1) << KIND_BITS }, (_, place) =>
  markAfter(place >> KIND_BITS, place & ((1 << KIND_BITS) - 1)),
);

function markAfter(mark: number, kind: number): number {
  // In JSON a line break is two characters.
  if (mark === ESCAPE) return STOP;
  if (kind === LETTER) return mark === STOP ? LETTER : OTHER;
  if (kind === UPPER) return mark === OTHER ? OTHER : LETTER;
  if (kind !== BLANK) return kind;
  if (mark === COMMA) return OTHER;
  return mark === COLON ? STOP : mark;
}

const APOSTROPHE = 0x27;
const HYPHEN = 0x2d;

/** Text with its code units. */
type Units = { text: string; codes: Uint16Array };
const kindAt = ({ text, codes }: Units, at: number) => (at < text.length ? (KINDS[codes[at]!] ?? OTHER) : STOP);

/** Characters. */
const SENTENCE_LEAST = 16;
const SENTENCE_MOST = 240;
const WORD_MOST = 14;

/** Returns the sentences that begin like an order, at most `most` of them. One pass over the text. */
export function orderSentences(text: string, most: number): OrderSentence[] {
  const found: OrderSentence[] = [];
  const codes = codeUnits(text);
  const units = { text, codes };
  const last = text.length - SENTENCE_LEAST;
  let mark = STOP;
  for (let at = 0; at <= last; at++) {
    const code = codes[at]!;
    mark = MARK_AFTER[(mark << KIND_BITS) | (code < ASCII ? KINDS_CASED[code]! : OTHER)]!;
    if (mark !== LETTER) continue;
    mark = OTHER;
    if (!isOrder(units, at)) continue;
    const end = endOf(units, at);
    if (end - at >= SENTENCE_LEAST && found.push([at, end]) === most) return found;
    at = end - 2;
  }
  return found;
}

const isUpper = (code: number) => code >= 0x41 && code <= 0x5a;

/** Returns whether an order begins at a position: a verb after at most `LEADS_MAXIMUM` words that lead to it. */
function isOrder(units: Units, from: number): boolean {
  const { text, codes } = units;
  let at = from;
  for (let words = 0; words <= LEADS_MAXIMUM; words++) {
    let hash = HASH_START;
    let end = at;
    for (const stop = Math.min(text.length, at + WORD_MOST + 1); end < stop; end++) {
      const code = codes[end]!;
      if (kindAt(units, end) === LETTER) hash = Math.imul(hash ^ (code | 0x20), HASH_FACTOR);
      else if (code === HYPHEN || (code === APOSTROPHE && kindAt(units, end + 1) === LETTER)) {
        hash = Math.imul(hash ^ code, HASH_FACTOR);
      } else break;
    }
    if (MAY_BE[hash & PLACES] === 0) return false;
    const kind = WORDS.get(text.slice(at, end).toLowerCase());
    if (kind === VERB) return isVerbAt(text, end);
    // "To enable it, …" states a purpose.
    if (kind !== LEAD || (words === 0 && end - at === 2 && (codes[at]! | 0x20) === 0x74)) return false;
    at = end;
    while (at - end < 3 && (kindAt(units, at) === BLANK || kindAt(units, at) === COMMA)) at++;
  }
  return false;
}

/** What follows a word that is not a verb but a field's name, part of an address or a noun ("mail is late"). */
const NO_VERB =
  /["'`]?[ \t]?[:=]|[.@_/]\w|["'`]?[,)\]}]|["'`]| (?:with id|is|are|was|were|has|have|had|will|of|by|id|at|date|number|status|type|name)\b|_/y;

function isVerbAt(text: string, end: number): boolean {
  NO_VERB.lastIndex = end;
  return !NO_VERB.test(text);
}

const FIELD = /\n[ \t]*(?:\n|- |["']?[\w-]{1,30}["']?:)|\\n\\n|["'][,}\]]/y;
const ENDS = new Uint8Array(ASCII);
for (const mark of "\n.!?\"'\\") ENDS[mark.charCodeAt(0)] = 1;

/** Returns where a sentence ends: at a full stop that is not inside an address or a number, or at the end of its field. */
function endOf(units: Units, from: number): number {
  const { text, codes } = units;
  const stop = Math.min(text.length, from + SENTENCE_MOST);
  for (let at = from + 2; at < stop; at++) {
    const code = codes[at]!;
    if (code >= ASCII || ENDS[code] === 0) continue;
    FIELD.lastIndex = at;
    if (FIELD.test(text)) return at;
    if (code !== 0x2e && code !== 0x21 && code !== 0x3f) continue;
    const kind = kindAt(units, at + 1);
    const isStop = (kind !== OTHER && kind !== LETTER) || isUpper(codes[at + 1]!);
    if (isStop && at - from >= SENTENCE_LEAST) return at + 1;
  }
  return stop;
}

/** What an order names, replaced by its kind: the model learns that there is an address, not which one. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/[\w.+'-]{1,64}@[\w-]{1,60}\.[\w.]{2,20}/g, " emailx "],
  [
    /(?:https?:\/\/|\bwww\.)[^\s'"`)]{1,200}|\b[\w-]{2,40}\.(?:com|net|org|io|co|xyz|ru|info|biz|site|online|app|me|example)\b\S{0,100}/g,
    " linkx ",
  ],
  [/\b[\w-]{1,60}\.(?:docx?|xlsx?|pdf|txt|csv|md|json|ya?ml|env|sh|py|js|ts|png|jpe?g|mp[34]|zip|pptx?)\b/g, " filex "],
  [
    /(?:[$€£]|\b(?:USD|EUR|GBP) ?)\d[\d,.]*|\b\d[\d,.]* ?(?:dollars|euros|usd|eur|gbp|btc|eth|bitcoins?)\b/gi,
    " moneyx ",
  ],
  [/\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b|\b[\d+][\d -]{6,24}\d\b/g, " numberx "],
  [/\b(?:[A-Za-z]{1,20}_)+[A-Za-z0-9_]{1,40}\b|\b[A-Z]?[a-z]{2,20}(?:[A-Z][a-z]{1,20}){1,6}\b/g, " namex "],
];

/** Returns an order as the model reads it. */
export const maskedOrder = (order: string): string =>
  NAMED.reduce((text, [pattern, kind]) => text.replace(pattern, kind), order);
