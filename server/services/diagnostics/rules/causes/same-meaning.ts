/** Phrases by which tools say the same, with the words that stand for them. Longer ones come first. */
const SAID: readonly (readonly [RegExp, string])[] = [
  [/\b(?:too many requests|rate limit(?:ed| exceeded)?|quota (?:was )?exceeded|throttled)\b/g, "rate limit"],
  [
    /\b(?:access|permission) (?:is |was )?denied\b|\bforbidden\b|\bnot (?:allowed|permitted|authori[sz]ed)\b|\bunauthori[sz]ed\b|\b(?:insufficient|missing|no) (?:permissions?|privileges?|rights)\b/g,
    "access denied",
  ],
  [
    /\b(?:connection (?:was )?(?:refused|reset|closed)|econn(?:refused|reset)|socket hang up|bad gateway|(?:could not|cannot|can not|failed to|unable to) connect(?: to)?|(?:temporarily |currently )?unavailable)\b/g,
    "unavailable",
  ],
  [/\b(?:already (?:exists?|taken|in use|booked|reserved)|duplicate)\b/g, "already exists"],
  [
    /\b(?:(?:could|can|was|were|is|are|does|do|did|has|have) )?(?:not|no longer) (?:be |been )?(?:find|found|exist|exists|locate|located|known|recogni[sz]ed)\b|\b(?:cannot|unable to|failed to) (?:find|locate)\b|\b(?:no such|unknown|non-?existent)\b/g,
    "not found",
  ],
  [/\b(?:there (?:is|are) )?no ((?:\w+ ){1,3}?)(?:was |were )?(?:found|matches|matching|exists?)\b/g, "not found $1"],
  [/\b(?:not enough|insufficient|too (?:low|little|few))\b/g, "not enough"],
  [/\b(?:not (?:a )?valid|malformed|illegal)\b/g, "invalid"],
];
/** Tools put it before any message. */
const PREFIX = /^(?:errors?|failed|failure|exception)[:\s]+(?=\S)/;
const NOT = /n['’]t\b/g;

/**
 * Returns a tool's message with common phrases in one wording: "no such seat" and "the seat could not be found" both say "not
 * found". Expects lower case.
 */
export const plainMessage = (message: string): string =>
  SAID.reduce((text, [phrase, words]) => text.replace(phrase, words), message.replace(PREFIX, "").replace(NOT, " not"));
