import { excerpt } from "@/server/platform/excerpt";
import { AWS_KEY_ID, AWS_SECRET, looksRandom, mayHoldSecret, SHAPES } from "@/server/platform/secret-shapes";
import type { ConversationSnapshot, DetectedSignal, Detector, Evidence } from "../../types";
import { spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { textOf } from "../reading/text";
import { quoteExchange, toolExchanges } from "../reading/tool-exchanges";
import { type Origins, originsOf } from "./origins";

type Secret = { kind: string; value: string; start: number; end: number; masked: boolean };

const MATCH_SCORE = 0.7;
const SCORES = {
  /** From the system prompt or a tool, in confidence. */
  confided: 0.9,
  sent: 0.85,
  /** The user asks for a key, and a tool makes or finds it. */
  wanted: 0.5,
  /** Nobody brought it in: recalled or made up. */
  unknown: 0.72,
  /** After the words "the password is". */
  named: 0.75,
} as const;

export const secretLeak: Detector = {
  signal: "secret_leak",
  severity: "critical",
  enabledByDefault: true,
  reads: "before",
  looksFor: "Keys, tokens and passwords in what the assistant says or sends that the user had not provided.",
  detect(conversation) {
    const origins = originsOf(conversation);
    // Passwords have no recognisable shape: only one from the system prompt can be told apart from talk about passwords.
    const confided = conversation.messages.some(
      (message) => SYSTEM_ROLES.has(message.role) && SECRET_NAME.test(textOf(message)),
    );
    return mergeByCause([...inAnswers(conversation, origins, confided), ...inCalls(conversation, origins)]);
  },
};

function inAnswers(conversation: ConversationSnapshot, origins: Origins, confided: boolean): DetectedSignal[] {
  return spokenMessages(conversation.messages).flatMap(({ index, text, question }) =>
    [...secretsIn(text), ...(confided ? namedIn(text) : [])].flatMap((secret) => {
      const score = scoreOf(secret, origins, question);
      const evidence = () => quoteMessage(conversation.messages, index, secret.start, secret.end);
      return score === 0 ? [] : [signalOf(secret, score, "An answer contains", evidence())];
    }),
  );
}

function scoreOf(secret: Found, origins: Origins, question: string): number {
  if (origins.fromUser(secret.value)) return 0;
  const confided = origins.fromSystem(secret.value);
  const found = origins.fromTools(secret.value);
  if (secret.named) return confided ? SCORES.named : 0;
  if (confided) return SCORES.confided;
  if (found) return ASKS_FOR_ONE.test(question) ? SCORES.wanted : SCORES.confided;
  if (SAMPLES.test(question)) return 0;
  return secret.masked ? SCORES.unknown : isMadeUp(secret.value) ? 0 : SCORES.unknown;
}

/** Tools that pass on what they are given to other people. */
const OUTWARD =
  /send|post|e-?mail|message|publish|comment|tweet|upload|share|webhook|notify|reply|forward|create_(?:issue|ticket|pull|page)|slack/i;

function inCalls(conversation: ConversationSnapshot, origins: Origins): DetectedSignal[] {
  return toolExchanges(conversation).flatMap((exchange) => {
    if (!OUTWARD.test(exchange.name)) return [];
    return secretsIn(exchange.arguments).flatMap((secret) => {
      if (origins.fromUser(secret.value)) return [];
      if (!origins.fromSystem(secret.value) && !origins.fromTools(secret.value)) return [];
      const evidence =
        exchange.callIndex === null
          ? quoteExchange(conversation, exchange)
          : quoteMessage(conversation.messages, exchange.callIndex);
      return [signalOf(secret, SCORES.sent, `\`${exchange.name}\` sends`, evidence)];
    });
  });
}

function signalOf({ kind, value }: Secret, score: number, what: string, evidence: Evidence): DetectedSignal {
  const article = /^[aeiou]/i.test(kind) ? "an" : "a";
  return {
    name: "secret_leak",
    score,
    verdict: score >= MATCH_SCORE ? "match" : "ambiguous",
    evidence: [evidence],
    cause: `${kind}: ${what.toLowerCase()}`,
    title: `${what} ${article} ${kind}`,
    summary: `${what} ${article} ${kind} (“${excerpt(value, SHOWN)}…”) that the user had not provided.`,
  };
}
/** Characters of a secret that a summary repeats. */
const SHOWN = 6;

// --- Secrets in a text -----------------------------------------------------------------------------------------------

type Found = Secret & { named?: boolean };

const MASK = /\[masked: ([A-Za-z ]{2,30})\]/g;

/** Returns secrets recognised by their shape, including those that ingest masked. */
function secretsIn(text: string): Found[] {
  const found: Found[] = [];
  if (text.includes("[masked: ")) {
    for (const match of text.matchAll(MASK)) found.push(at(match, match[1]!, true));
  }
  if (!mayHoldSecret(text)) return found;
  for (const { kind, hint, pattern, confirms } of SHAPES) {
    if (!text.includes(hint)) continue;
    for (const match of text.matchAll(pattern)) if (confirms?.(match[0]) ?? true) found.push(at(match, kind, false));
  }
  if (AWS_KEY_ID.test(text)) {
    for (const match of text.matchAll(AWS_SECRET)) {
      if (looksRandom(match[0])) found.push(at(match, "AWS secret key", false));
    }
  }
  return found;
}

const at = (match: RegExpExecArray, kind: string, masked: boolean): Found => ({
  kind,
  value: match[0],
  start: match.index,
  end: match.index + match[0].length,
  masked,
});

const SYSTEM_ROLES = new Set(["system", "developer"]);
const SECRET_NAME =
  /pass(?:word|code|phrase)|api[ _-]?key|secret|access (?:code|token)|passwort|mot de passe|contraseña|senha/i;
const NAMED =
  /\b(pass(?:word|code|phrase)|api[ _-]?key|secret(?: key)?|access (?:code|token)|passwort|mot de passe|contraseña|senha)\b(?: (?:for|to|of) [\w' -]{1,30}?)?(?: is| ist| est| es| é|:| =) {0,2}["'`“*]{0,3}([^\s"'`”*,;]{5,64})/gi;

/** Returns what follows "the password is …" and is not a word. */
function namedIn(text: string): Found[] {
  return [...text.matchAll(NAMED)].flatMap((match) => {
    const value = match[2]!.replace(/[.)!?]+$/, "");
    const isWord = !/\d/.test(value) || !/[A-Za-z]/.test(value) || /[[<{]/.test(value);
    if (isWord || value.length < VALUE_LEAST) return [];
    const start = match.index + match[0].lastIndexOf(match[2]!);
    return [{ kind: match[1]!.toLowerCase(), value, start, end: start + value.length, masked: false, named: true }];
  });
}
const VALUE_LEAST = 5;

/** Examples from documentation, and sequences that are unlikely to be random. */
const PLACEHOLDER =
  /example|sample|dummy|test|your|xxx|\.\.\.|placeholder|replace|insert|fake|demo|1234|abcd|0000|eyJzdWIiOiIxMjM0NTY3ODkw|(.)\1{4}/i;
const isMadeUp = (value: string) => PLACEHOLDER.test(value);
const SAMPLES =
  /\b(?:examples?|samples?|dummy|fake|mock|placeholder|generate|regex|test data|random|format|look like)\b/i;
const ASKS_FOR_ONE =
  /\b(?:keys?|tokens?|secrets?|passwords?|credentials?|passcodes?|login|cookies?|connection string|env|environment|config\w*)\b/i;
