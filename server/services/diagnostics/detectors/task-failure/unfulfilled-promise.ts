import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { ending, isClosing } from "../reading/ending";
import { quoteMessage } from "../reading/evidence";
import { proseOf } from "../reading/prose";
import { textOf } from "../reading/text";
import { toolExchanges } from "../reading/tool-exchanges";

/** The assistant, which has tools, announces its next step and the conversation ends there. */
const MATCH_SCORE = 0.75;
/** The user asks about it, and the assistant still does nothing. */
const ASKED_AFTER_SCORE = 0.85;
/** Nothing shows that it has tools, or the promise is for some later time. */
const PERHAPS_SCORE = 0.4;

/** Characters read at the end of a reply: an earlier promise was followed by something. */
const READ = 400;
/** Verbs for acts that the assistant itself carries out immediately. */
const ACT = `(check|look(?: (?:up|into))?|search|find|fetch|retrieve|pull up|get|call|use|run|execute|book|cancel|refund|process|update|change|modify|create|send|submit|place|schedule|proceed|apply|start|begin|perform|try|query|open|read|review|gather|download|install|verify|inspect|calculate|compute|transfer the|delete|remove|add|make|set|reset|generate|write|fix|post|complete)`;
const PROMISE = new RegExp(
  String.raw`\b(?:i(?:[’']ll| will| am going to|[’']m going to| shall| need to)(?: now| then| also| just| next| first| quickly| try to| go ahead and| proceed to| start by| begin by| have to| need to){0,3} ${ACT}(?:ing)?\b|(?:let me|let[’']s)(?: now| just| first| quickly| try to| go ahead and| proceed to| start by){0,3} ${ACT}(?:ing)?\b|(?:one|just a) (?:moment|second|minute|sec)\b|(?:please )?(?:hold on|bear with me|stand by|wait a (?:moment|second|minute))\b|(?:ich (?:werde|prüfe|schaue|suche|buche|storniere)|einen (?:moment|augenblick))\b|(?:je vais|un (?:instant|moment))\b|(?:voy a|un momento|déjame|permítame)\b)|(?:少々お待ち|確認いたします|確認します)|(?:请稍等|我来|我将|让我)`,
  "i",
);
/** Promises for a later time, conditions, offers and closing words. */
const LATER =
  /\?|？|\b(?:if|once|when|whenever|unless|after you|as soon as|should you|let me know|let[’']s (?:me )?know|feel free|would you|do you|please (?:confirm|provide|reply|let|share|tell|send|specify|choose)|shortly|soon|later|tomorrow|within|business days|by (?:email|mail)|get back|keep you|in touch|next time|anything else|hear from|have a (?:great|good|nice)|bye|thank you for)\b|#{2,3}|\bTERMINATE\b/i;
const HANDS_OVER = /\b(?:transferr?(?:ed|ing)?|human|agent|representative|specialist|colleague)\b/i;
const ASKS_AFTER =
  /^[^\n]{0,60}(?:\b(?:hello|hey|are you (?:still )?there|any (?:update|news|luck)|still there|did (?:you|it)|so\b|well\b|and\b|done yet|how long|what happened)|\?\?)/i;

export const unfulfilledPromise: Detector = {
  signal: "unfulfilled_promise",
  severity: "medium",
  enabledByDefault: true,
  reads: "end",
  looksFor: "The assistant announces what it will do next (“I'll now book it”), but no call or result follows.",
  detect(conversation) {
    const found = promised(conversation);
    return found ? [found] : [];
  },
};

function promised(conversation: ConversationSnapshot): DetectedSignal | null {
  const { messages } = conversation;
  const { lastReply, lastUser, afterReply } = ending(conversation);
  if (lastReply === null || afterReply.length > 0 || messages[lastReply]!.toolCalls.length > 0) return null;
  const asked = lastUser !== null && lastUser > lastReply;
  // Whatever else follows the reply is another party's turn.
  if (messages.length - 1 > (asked ? lastUser : lastReply)) return null;
  const prose = proseOf(messages[lastReply]!);
  const from = Math.max(0, prose.length - READ);
  const said = PROMISE.exec(prose.slice(from));
  if (!said) return null;
  const start = from + said.index;
  if (LATER.test(prose.slice(sentenceStart(prose, start))) || HANDS_OVER.test(prose.slice(from))) return null;
  const user = asked ? textOf(messages[lastUser]!) : "";
  if (asked && (isClosing(user) || !ASKS_AFTER.test(user))) return null;
  const hasTools = toolExchanges(conversation).some(({ callIndex, spanId }) => callIndex !== null || spanId !== null);
  const score = hasTools ? (asked ? ASKED_AFTER_SCORE : MATCH_SCORE) : PERHAPS_SCORE;
  const text = textOf(messages[lastReply]!).slice(start);
  return {
    name: "unfulfilled_promise",
    score,
    verdict: score >= MATCH_SCORE ? "match" : "ambiguous",
    evidence: [quoteMessage(messages, lastReply, start), ...(asked ? [quoteMessage(messages, lastUser)] : [])],
    cause: "announced and not done",
    title: "The assistant announces a step but does not take it",
    summary: `The conversation ends with “${excerpt(text, 160)}”; no call followed.`,
  };
}

const sentenceStart = (text: string, at: number) =>
  Math.max(text.lastIndexOf("\n", at), text.lastIndexOf(". ", at), text.lastIndexOf("! ", at)) + 1;
