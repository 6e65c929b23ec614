import { onOneLine, wholeWords } from "@/server/platform/excerpt";

/** Characters of a message that make up its cause; the rest is detail. */
const CAUSE_LIMIT = 200;

/** Values that vary between conversations with the same problem, in masking order. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?:\/\/[^\s"'<>)\]]{1,500}/gi, "<url>"],
  [/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g, "<email>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g, "<date>"],
  [/\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b/g, "<date>"],
  [/\b\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m\b)?/gi, "<time>"],
  [/(?:\b[A-Za-z]:)?(?:[\\/][\w.@%+~-]{1,100}){2,30}[\\/]?/g, "<path>"],
  [/\{[^{}\n]{0,300}\}/g, "<value>"],
  [/"[^"\n]{0,200}"|“[^”\n]{0,200}”|`[^`\n]{0,200}`|«[^»\n]{0,200}»/g, "<value>"],
  [/(?<![\w])'[^'\n]{0,200}'(?!\w)/g, "<value>"],
  [/\b0x[0-9a-f]{1,64}\b/gi, "<id>"],
  [/#?\b(?=[\w-]{0,63}\d)(?=[\w-]{0,63}[A-Za-z_])[A-Za-z0-9][\w-]{2,63}\b/g, "<id>"],
  // A code of letters only, where the message says that there is none: "flight SDZQKO not found".
  [/\b[A-Z][A-Z_]{2,63}(?= (?:was |is |could |does )?not (?:be )?(?:found|exist|recogni[sz]ed))/g, "<id>"],
  [/[-+]?(?:\d[\d,]{0,20}\.?\d{0,20})%?/g, "<n>"],
];
const EXCEPTION_CLASS = /^(?:[\w$]{1,60}\.){0,8}([A-Z][\w$]{0,80}(?:Error|Exception|Fault|Warning|Interrupt))\b:?\s*/;
const ERROR_WORD = /^[^\w<]{0,3}(?:error|exception|fatal|failure)\b[^\w<]{0,3}/i;

/** Returns `message` on one line in lower case with values masked, so that the same failure has the same cause everywhere. */
export function maskCause(message: string): string {
  return maskValues(message).toLowerCase();
}

/** Returns `message` on one line with values masked and case preserved. */
export function maskValues(message: string): string {
  let masked = onOneLine(message.slice(0, CAUSE_LIMIT * 2));
  for (const [pattern, name] of MASKS) masked = masked.replace(pattern, name);
  // Never half of a surrogate pair, which Postgres would reject.
  return masked
    .slice(0, CAUSE_LIMIT)
    .replace(/[\ud800-\udbff]$/, "")
    .trim();
}

/** Returns `message` for the end of a title: values as `…`, without a leading "Error:", starting in lower case where possible. */
export function describeCause(message: string, limit = 80): string {
  const masked = maskValues(message);
  const withoutClass = masked.replace(EXCEPTION_CLASS, "").replace(ERROR_WORD, "");
  const readable = (withoutClass || masked).replace(/<(?:url|email|id|date|time|path|value|n)>/g, "…").trim();
  const line = wholeWords(readable, limit);
  return /^[A-Z][a-z]/.test(line) ? line[0]!.toLowerCase() + line.slice(1) : line;
}
