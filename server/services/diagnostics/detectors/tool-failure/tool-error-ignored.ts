import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { proseOf } from "../reading/prose";
import { textOf } from "../reading/text";
import { toolExchanges } from "../reading/tool-exchanges";
import { describeCause } from "./mask-cause";
import { failureCause, type ToolFailure, toolFailures } from "./tool-failures";

/** The reply claims success despite a failure without a later success. */
const CLAIM_SCORE = 0.85;
/** The reply does not mention the failure, which may not have mattered. */
const SILENCE_SCORE = 0.45;
/** Characters. Shorter replies ("One moment.") neither acknowledge a failure nor hide it. */
const ANSWER_MINIMUM = 20;
/** Characters of a reply that are searched: failures are acknowledged early or not at all. */
const ANSWER_READ = 4000;

/** Words that acknowledge a failure, work around it, or ask for what is missing. */
const ACKNOWLEDGED =
  /\b(?:sorry|apologi[sz]e|apologies|unfortunately|unable|couldn[’']?t|could not|cannot|can[’']?t|wasn[’']?t able|not able|fail(?:ed|s|ure|ing)?|errors?|issues?|problems?|trouble|difficult(?:y|ies)|not found|no \w{1,30} (?:was |were )?found|did(?:n[’']?t| not)|does(?:n[’']?t| not)|do(?:n[’']?t| not)|isn[’']?t|is not|are not|aren[’']?t|was not|were not|won[’']?t|haven[’']?t|invalid|incorrect|missing|however|instead|although|try again|retry|another|alternative|unavailable|not available|insufficient|exceed|limit|denied|declined|double-?check|verify|confirm|provide|clarify|transfer(?:red|ring)?|escalat\w{0,6}|no results?|nothing|unsuccessful|timed? ?out|down|unknown|not supported|not possible|no longer|only)\b/i;
const ACKNOWLEDGED_ELSEWHERE =
  /(?:désolé|malheureusement|impossible|erreur|échou|lo siento|lamentablemente|desafortunadamente|no (?:se )?pud|no puedo|fehler|leider|konnte nicht|entschuldig|mi dispiace|purtroppo|errore|desculp|infelizmente|erro\b|não (?:foi|consegui|pude)|helaas|sorry|извините|к сожалению|ошибк|не удалось|抱歉|无法|無法|失败|失敗|错误|錯誤|申し訳|できません|エラー|죄송|오류|실패|할 수 없|عذر|خطأ|فشل|क्षमा|त्रुटि|üzgünüm|hata|başarısız|maaf|gagal|kesalahan|xin lỗi|lỗi)/i;
const CLAIMED =
  /\b(?:successful(?:ly)?|all set|completed?|(?:has|have) (?:now )?been (?:\w{1,20}ly )?\w{1,20}(?:ed|nt|de|id|lt)\b|is now (?:\w{3,20}ed|set|active)|i(?:[’']ve| have) (?:now |just |also )?(?:\w{1,20}ly )?\w{1,20}(?:ed|nt|de|id|lt)\b|(?:it[’']s|is|everything is) (?:all )?done|(?:booking|order|payment|email|message|meeting|event|reservation|transfer|refund|file) (?:is|was) (?:confirmed|sent|created|updated|processed|booked|scheduled|cancell?ed|placed|saved|deleted))/i;

export const toolErrorIgnored: Detector = {
  signal: "tool_error_ignored",
  severity: "high",
  enabledByDefault: true,
  looksFor: "An answer that claims success, or carries on, after a tool failed and did not succeed later in the turn.",
  detect(conversation) {
    const failures = toolFailures(conversation).filter(({ verdict }) => verdict === "match");
    if (failures.length === 0) return [];
    const answers = answersAfter(conversation);
    return mergeByCause(failures.flatMap((failure) => ignored(conversation, failure, answers)));
  },
};

/** The assistant's next reply to the user after a result, with the position of the last successful call before it. */
type Answer = { index: number; lastGoodPosition: number };

function ignored(
  conversation: ConversationSnapshot,
  failure: ToolFailure,
  answers: readonly (Answer | null)[],
): DetectedSignal[] {
  const { exchange } = failure;
  const answer = exchange.resultIndex === null ? null : answers[exchange.resultIndex];
  // A later successful call, of any tool, may have done what the failed one should have.
  if (!answer || answer.lastGoodPosition > failure.position) return [];
  const prose = proseOf(conversation.messages[answer.index]!).slice(0, ANSWER_READ);
  if (prose.trim().length < ANSWER_MINIMUM || prose.includes("?")) return [];
  if (ACKNOWLEDGED.test(prose) || ACKNOWLEDGED_ELSEWHERE.test(prose)) return [];
  const claim = CLAIMED.exec(prose);
  const start = claim ? prose.lastIndexOf("\n", claim.index) + 1 : 0;
  return [
    {
      name: "tool_error_ignored",
      score: claim ? CLAIM_SCORE : SILENCE_SCORE,
      verdict: claim ? "match" : "ambiguous",
      evidence: [failure.evidence, quoteMessage(conversation.messages, answer.index, start)],
      cause: failureCause(failure),
      title: `The assistant ignores that \`${exchange.name}\` failed: ${describeCause(failure.message)}`,
      summary: `\`${exchange.name}\` returned “${excerpt(failure.message, 100)}”, then the assistant said “${excerpt(prose.slice(start), 120)}”.`,
    },
  ];
}

/** Returns for every message the assistant's next reply without a tool call; `null` if a user message comes first. */
function answersAfter(conversation: ConversationSnapshot): (Answer | null)[] {
  const { messages } = conversation;
  const lastGood = lastGoodPositions(conversation);
  const answers: (Answer | null)[] = new Array(messages.length).fill(null);
  let next: Answer | null = null;
  for (let index = messages.length - 1; index >= 0; index--) {
    answers[index] = next;
    const message = messages[index]!;
    if (message.role === "user") next = null;
    else if (message.role === "assistant" && message.toolCalls.length === 0 && textOf(message).trim() !== "") {
      next = { index, lastGoodPosition: lastGood[index]! };
    }
  }
  return answers;
}

/** Returns for every message the position of the last successful call before it, or -1. */
function lastGoodPositions(conversation: ConversationSnapshot): number[] {
  const failed = new Set(toolFailures(conversation).map(({ position }) => position));
  const positions: number[] = new Array(conversation.messages.length).fill(-1);
  toolExchanges(conversation).forEach(({ resultIndex }, position) => {
    if (resultIndex !== null && !failed.has(position)) positions[resultIndex] = position;
  });
  let last = -1;
  return positions.map((position) => {
    const before = last;
    last = Math.max(last, position);
    return before;
  });
}
