/**
 * Turns that share words with an earlier one because the conversation goes on, not because the answer did not help: the user
 * reports what came of a step, agrees to an offer, or asks for another date or number.
 */

const DONE =
  "restarted|rebooted|turned|toggled|switched|checked|reset|reseated|tried|tested|retried|enabled|disabled|entered|removed|reinstalled|installed|uninstalled|updated|upgraded|cleared|changed|followed|went|gone|clicked|tapped|pressed|did|done|ran|run|set|logged|signed|unplugged|plugged|opened|closed|selected|confirmed|completed|looked|connected|disconnected|added|deleted|replaced|moved|granted|verified|adjusted|refreshed|re-?entered|re-?checked|double-?checked|performed|made sure";
/** "I restarted it, and it still shows …", "It now says …", "Here's what I see". */
const REPORTS = new RegExp(
  [
    `\\bi(?:'ve| have| just|'ve just| have just)?(?: now| already| also| just| then| both)* (?:${DONE})\\b`,
    "\\bi(?:'m| am)? (?:still |now |only |can |can still |can now )*(?:see|seeing|get|getting|have|having) (?:the |an? |no |this |that |only |still )",
    "\\b(?:it|the \\w+(?: \\w+)?|my \\w+(?: \\w+)?|status|screen|that) (?:now |still |just |currently )*(?:says?|shows?|showing|displays?|reads?|is showing|won't|will not|can't|cannot|doesn't|does not|isn't|is not|is still|are still|went|worked|didn't|did not)\\b",
    "\\bhere(?:'s| is| are) (?:what|the|my)\\b|\\b(?:the )?(?:result|results|output|readings?|speed test)\\b[^.!?\\n]{0,30}\\b(?:is|are|was|were|shows?|came)\\b",
    "\\bich habe\\b[^.!?\\n]{0,60}\\b(?:ge\\w{3,}(?:t|en)|\\w+ge\\w+(?:t|en)|versucht|überprüft|aktiviert|deaktiviert|probiert)\\b|\\b(?:es|da|jetzt) (?:zeigt|steht|erscheint)\\b",
    "\\bj'ai (?:bien |déjà |aussi )?\\w+(?:é|i|u|is|it)\\b|\\b(?:il|ça|cela) (?:affiche|indique|dit)\\b",
    "\\b(?:ya )?he \\w+(?:ado|ido|cho|sto)\\b|\\b(?:me )?(?:dice|muestra|aparece|sale)\\b",
  ].join("|"),
  "i",
);
/** Telling somebody is no step: "I've told you", "I asked for a refund". */
const TELLS =
  /\bi(?:'ve| have|'d| had)?(?: already| just| also)* (?:told|asked|said|explained|mentioned|wrote|written|sent|repeated|requested|called|contacted|waited)\b/i;
const AGREES =
  /^\s*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|alright|all right|correct|exactly|right|absolutely|definitely|of course|perfect|great|got it|understood|sounds good|that(?:'s| is) (?:fine|great|right|correct)|please do|go ahead|ja|genau|gerne|oui|d'accord|sí|claro|vale|sim|はい|是的|好的|好)(?![\p{L}])/iu;

const READ = 600;

/** Returns whether a turn says what came of a step that the user took. */
export function reportsAResult(text: string): boolean {
  const plain = text.slice(0, READ).replaceAll("’", "'");
  return REPORTS.test(plain) && !TELLS.test(plain.slice(0, READ / 4));
}

/** Returns whether a turn accepts or confirms what the assistant said. */
export const agrees = (text: string): boolean => AGREES.test(text.replaceAll("’", "'"));

const VALUES =
  /\d+(?:[.:]\d+)?|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|tomorrow|morning|afternoon|evening)\b/gi;
const valuesIn = (text: string) => new Set(text.toLowerCase().match(VALUES) ?? []);

/** Returns whether a turn names a date or number that the other does not. */
export function hasOtherValues(text: string, other: string): boolean {
  const known = valuesIn(other);
  return [...valuesIn(text)].some((value) => !known.has(value));
}
