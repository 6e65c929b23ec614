import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { type SpokenMessage, spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage, quoteSpan } from "../reading/evidence";
import { textOf } from "../reading/text";

const LIMIT_REASONS = new Set([
  "length",
  "max_tokens",
  "max_output_tokens",
  "model_length",
  "max_length",
  "token_limit",
]);
const DECLARED_SCORE = 0.97;
const OPEN_FENCE_SCORE = 0.72;
/** Ends with a word that cannot end a sentence. */
const HANGING_SCORE = 0.75;
/** Ends without a full stop, as headlines and chat messages also do. */
const UNFINISHED_SCORE = 0.35;

/** Characters. Shorter texts are not expected to end like prose. */
const PROSE_MINIMUM = 200;
const TAIL = 120;
/** Characters of an empty fence with a language. */
const LONE_FENCE = 12;
/** Words that must be followed by something in their languages. */
const HANGING =
  /(?:^|[\s(])(?:the|an?|and|or|of|to|with|by|from|that|which|because|your|their|its|our|my|including|such as|le|la|les|des|et|ou|avec|pour|que|qui|el|los|las|de la|del|y|con|para|der|die|das|und|oder|mit|von|für|dass|e|com|di|che|il|и|в|на|с|что|для)$|,$|\s[([{]$|[\p{L}]-$/iu;
const ENDS =
  /[.!?…:;)\]}"'”’»*_`|>~。！？」』）】؟।॥៕。.\d]$|[\p{Emoji_Presentation}\p{Extended_Pictographic}]\uFE0F?$|https?:\/\/\S{1,500}$/u;
const LIST_LINE = /^\s{0,12}(?:[-*•+#|]|\d{1,3}[.)])/;

export const truncatedResponse: Detector = {
  signal: "truncated_response",
  severity: "medium",
  enabledByDefault: true,
  looksFor:
    "An answer that was cut off: a finish reason of length, an unclosed code block, or a text that ends abruptly.",
  detect(conversation) {
    const declared = declaredCuts(conversation);
    const cut = new Set(declared.flatMap(({ evidence }) => evidence.map(({ messageIndex }) => messageIndex)));
    const seen = spokenMessages(conversation.messages)
      .filter(({ index, message }) => !cut.has(index) && message.toolCalls.length === 0)
      .flatMap((spoken) => brokenOff(conversation, spoken));
    return mergeByCause([...declared, ...seen]);
  },
};

function declaredCuts({ messages, modelCalls }: ConversationSnapshot): DetectedSignal[] {
  const lastOfSpan = new Map(
    messages.map((message, index) => [message.role === "assistant" ? message.spanId : null, index]),
  );
  return modelCalls.flatMap((call) => {
    const reason = call.finishReasons.find((one) => LIMIT_REASONS.has(one.toLowerCase()));
    if (reason === undefined) return [];
    const index = lastOfSpan.get(call.spanId);
    const evidence = index === undefined ? quoteSpan(call.spanId, reason) : quoteTail(messages, index);
    const model = call.responseModel ?? call.requestedModel ?? "The model";
    return [
      {
        name: "truncated_response",
        score: DECLARED_SCORE,
        verdict: "match" as const,
        evidence: [{ ...evidence, spanId: call.spanId }],
        cause: "the model stopped at its token limit",
        title: "An answer is cut off at the model's token limit",
        summary: `${model} stopped with “${reason}”.`,
      },
    ];
  });
}

function brokenOff({ messages }: ConversationSnapshot, { index, text }: SpokenMessage): DetectedSignal[] {
  const reading = readEnd(text);
  if (!reading || isContinued(messages, index)) return [];
  return [
    {
      name: "truncated_response",
      score: reading.score,
      verdict: reading.score >= OPEN_FENCE_SCORE ? "match" : "ambiguous",
      evidence: [quoteTail(messages, index)],
      cause: reading.cause,
      title: `An answer is cut off: ${reading.cause}`,
      summary: `The answer ends “…${text.trimEnd().slice(-80)}”.`,
    },
  ];
}

/** Messages within which one of several speakers may continue a line that the channel cut off. */
const CONTINUED_WITHIN = 8;

function isContinued(messages: ConversationSnapshot["messages"], index: number): boolean {
  const name = messages[index]!.parts[0]?.name;
  if (name === undefined) return false;
  return messages.slice(index + 1, index + 1 + CONTINUED_WITHIN).some(({ parts }) => parts[0]?.name === name);
}

function readEnd(text: string): { score: number; cause: string } | null {
  const trimmed = text.trimEnd();
  if (hasOpenFence(trimmed)) return { score: OPEN_FENCE_SCORE, cause: "a code block is not closed" };
  if (trimmed.length < PROSE_MINIMUM) return null;
  const lastLine = trimmed.slice(Math.max(trimmed.lastIndexOf("\n") + 1, trimmed.length - TAIL)).trim();
  if (HANGING.test(lastLine)) return { score: HANGING_SCORE, cause: "it ends in the middle of a sentence" };
  const startOfLine = trimmed.slice(trimmed.lastIndexOf("\n") + 1, trimmed.lastIndexOf("\n") + 20);
  // A signature, a title or a list item ends without a full stop.
  if (ENDS.test(lastLine) || LIST_LINE.test(startOfLine) || lastLine.length < TAIL / 2) return null;
  return { score: UNFINISHED_SCORE, cause: "it ends without a full stop" };
}

function hasOpenFence(text: string): boolean {
  let open = false;
  for (let at = text.indexOf("```"); at >= 0; at = text.indexOf("```", at + 3)) {
    const startsLine = /(?:^|\n)[ \t>*-]{0,12}$/.test(text.slice(Math.max(0, at - 13), at));
    // A fence with nothing after it closes a block that the client removed.
    const isLone = !open && text.length - at <= LONE_FENCE;
    if ((open || startsLine) && !isLone) open = !open;
  }
  return open;
}

function quoteTail(messages: ConversationSnapshot["messages"], index: number) {
  const { length } = textOf(messages[index]!);
  return quoteMessage(messages, index, length - TAIL, length);
}
