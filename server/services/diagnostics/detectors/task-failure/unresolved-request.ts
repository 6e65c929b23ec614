import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector, Evidence } from "../../types";
import { EMPTY_ANSWER } from "../broken-response/empty-response";
import { ending, isClosing, isClosingTool } from "../reading/ending";
import { quoteMessage, quoteSpan } from "../reading/evidence";
import { proseOf } from "../reading/prose";
import { textOf } from "../reading/text";
import { describeCause } from "../tool-failure/mask-cause";
import { failureCause, type ToolFailure, toolFailures } from "../tool-failure/tool-failures";

/** The last event is a failed call, of which the user was not told. */
const ERROR_LAST_SCORE = 0.85;
/** The user's request got an empty reply, or a failed model call. */
const NO_REPLY_SCORE = 0.85;
/** The assistant gives up after a failed call and offers nothing else. */
const GAVE_UP_SCORE = 0.7;
/** The user's question is the last message; the rest may be missing from the record. */
const OPEN_SCORE = 0.4;
/** The assistant declines without a failure, which may be what its instructions require. */
const DECLINED_SCORE = 0.35;

/** Characters of a last reply that are read. */
const READ = 1500;
const GIVES_UP =
  /\b(?:(?:i[’']m|i am|we(?:[’']re| are)) (?:really |very |so )?(?:sorry|afraid)|unfortunately|i apologi[sz]e|apologies|regrettably)\b[^\n]{0,200}\b(?:unable|not able|could ?n[o’']t|could not|can ?not|can[’']?t|wasn[’']t|failed|issue|error|problem|trouble|unavailable|not (?:possible|available|found|working))\b|\b(?:désolé|malheureusement)\b[^\n]{0,160}\b(?:impossible|ne (?:peux|pouvons|parviens)|erreur|pas pu)\b|\b(?:leider|tut mir leid)\b[^\n]{0,160}\b(?:nicht|fehler|kein\w{0,2})\b|\b(?:lo siento|lamentablemente|desafortunadamente)\b[^\n]{0,160}\b(?:no (?:pude|puedo|se pud\w{0,3}|es posible)|error)\b|(?:申し訳|残念ながら)[^\n]{0,80}(?:できま|エラー|失敗)|(?:抱歉|很遗憾|对不起)[^\n]{0,80}(?:无法|不能|失败|错误)/i;
/** Offers, questions, hand-overs and steps for the user: the request is still being worked on. */
const OFFERS =
  /\?|？|\b(?:instead|alternativ\w{1,6}|however|you (?:can|could|may|might)|try again|another|please (?:try|contact|provide|check|confirm|let|visit|call|reach)|let me know|would you|contact|transfer(?:red|ring)?|escalat\w{0,6}|human|support|recommend|suggest|follow(?:ing)? steps?|here (?:is|are)|in the meantime|but i (?:can|was able|did|found)|successfully)\b/i;

export const unresolvedRequest: Detector = {
  signal: "unresolved_request",
  severity: "high",
  enabledByDefault: true,
  reads: "end",
  looksFor:
    "A conversation that ends without resolving the user's request: on an error, an unanswered question, or an apology without a result.",
  detect: (conversation) => {
    const found = errorLast(conversation) ?? withoutReply(conversation) ?? gaveUp(conversation) ?? open(conversation);
    return found ? [found] : [];
  },
};

type Words = Pick<DetectedSignal, "cause" | "title" | "summary">;
const signal = (score: number, evidence: readonly (Evidence | null)[], words: Words): DetectedSignal => ({
  name: "unresolved_request",
  score,
  verdict: score > 0.5 ? "match" : "ambiguous",
  evidence: evidence.filter((one) => one !== null),
  ...words,
});

const requestOf = ({ messages }: ConversationSnapshot, index: number | null) =>
  index === null ? null : quoteMessage(messages, index);

/** Returns the failure that no success, reply or message of the user followed. */
function lastFailure(conversation: ConversationSnapshot): ToolFailure | null {
  const failure = toolFailures(conversation).at(-1);
  if (failure?.verdict !== "match") return null;
  const { afterReply, lastUser } = ending(conversation);
  if (afterReply.at(-1) !== failure.exchange) return null;
  const index = failure.exchange.resultIndex ?? failure.exchange.callIndex;
  return index !== null && lastUser !== null && lastUser > index ? null : failure;
}

function errorLast(conversation: ConversationSnapshot): DetectedSignal | null {
  const failure = lastFailure(conversation);
  if (!failure || isClosingTool(failure.exchange.name)) return null;
  const { lastUser, lastReply } = ending(conversation);
  const at = failure.exchange.resultIndex;
  // A span without a message has no position among the messages, so a reply may have followed it.
  if (at === null || (lastReply !== null && lastReply > at)) return null;
  const { name } = failure.exchange;
  return signal(ERROR_LAST_SCORE, [failure.evidence, requestOf(conversation, lastUser)], {
    cause: failureCause(failure),
    title: `The conversation ends with the failure of \`${name}\`: ${describeCause(failure.message)}`,
    summary: `\`${name}\` returned “${excerpt(failure.message, 120)}”, and nothing followed.`,
  });
}

function withoutReply(conversation: ConversationSnapshot): DetectedSignal | null {
  const { messages, modelCalls } = conversation;
  const { lastUser } = ending(conversation);
  if (lastUser === null || isClosing(textOf(messages[lastUser]!))) return null;
  const after = messages.slice(lastUser + 1);
  const isEmpty = after.every((one) => textOf(one).trim() === "" && one.toolCalls.length === 0 && isText(one.parts));
  if (!isEmpty) return null;
  const failed = modelCalls.at(-1);
  const error = failed?.error ? (failed.error.message ?? failed.error.type ?? "an error") : null;
  if (error === null && after.length === 0) return null;
  const said = textOf(messages[lastUser]!);
  return signal(
    NO_REPLY_SCORE,
    [
      after.length > 0 ? quoteMessage(messages, messages.length - 1) : null,
      error === null ? null : quoteSpan(failed!.spanId, error),
      requestOf(conversation, lastUser),
    ],
    {
      cause: error === null ? EMPTY_ANSWER : "the last request got no reply: model call failed",
      title:
        error === null ? "The last request got an empty reply" : "The last request got no reply: the model call failed",
      summary: `The user said “${excerpt(said, 120)}” and got ${error === null ? "an empty reply" : `“${excerpt(error, 80)}”`}.`,
    },
  );
}

const isText = (parts: readonly { type: string }[]) => parts.every(({ type }) => type === "text");

function gaveUp(conversation: ConversationSnapshot): DetectedSignal | null {
  const { messages } = conversation;
  const { lastReply, lastUser, afterReply } = ending(conversation);
  if (lastReply === null || afterReply.length > 0) return null;
  if (lastUser !== null && lastUser > lastReply) return null;
  const prose = proseOf(messages[lastReply]!).slice(0, READ);
  const said = GIVES_UP.exec(prose);
  if (!said || OFFERS.test(prose)) return null;
  const failure = toolFailures(conversation).findLast(
    ({ exchange, verdict }) =>
      verdict === "match" && exchange.resultIndex !== null && exchange.resultIndex > (lastUser ?? -1),
  );
  const reply = quoteMessage(messages, lastReply, said.index);
  if (!failure) {
    return signal(DECLINED_SCORE, [reply, requestOf(conversation, lastUser)], {
      cause: "an apology without a result",
      title: "The conversation ends with an apology and no result",
      summary: `The assistant's last words were “${excerpt(reply.quote, 160)}”.`,
    });
  }
  const { name } = failure.exchange;
  return signal(GAVE_UP_SCORE, [failure.evidence, reply, requestOf(conversation, lastUser)], {
    cause: failureCause(failure),
    title: `The assistant gives up after \`${name}\` failed: ${describeCause(failure.message)}`,
    summary: `\`${name}\` returned “${excerpt(failure.message, 80)}”, and the assistant's last words were “${excerpt(reply.quote, 100)}”.`,
  });
}

const ASKS =
  /\?|？|؟|^(?:please|can|could|would|will|what|where|when|why|how|who|which|is|are|do|does|did|i (?:want|need|would like)|i[’']d like|bitte|können|pouvez|peux|puede|por favor)\b/i;

function open(conversation: ConversationSnapshot): DetectedSignal | null {
  const { messages } = conversation;
  const { lastUser } = ending(conversation);
  // A single message is a prompt whose reply was not recorded.
  if (lastUser === null || lastUser !== messages.length - 1 || messages.length < 2) return null;
  const said = textOf(messages[lastUser]!).trim();
  if (isClosing(said) || !ASKS.test(said.slice(0, READ))) return null;
  return signal(OPEN_SCORE, [quoteMessage(messages, lastUser)], {
    cause: "the user's last question has no answer",
    title: "The user's last question has no answer",
    summary: `The conversation ends with the user's “${excerpt(said, 160)}”.`,
  });
}
