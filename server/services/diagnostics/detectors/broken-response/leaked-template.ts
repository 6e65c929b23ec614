import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { type SpokenMessage, saidByOthers, spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { memoizeLast } from "../reading/memoize-last";
import { proseIn, proseOf } from "../reading/prose";

/** Every match contains one of `hints`, which begin with a rare character and are much faster to search than the pattern. */
type Leak = { kind: string; hints: readonly string[]; pattern: RegExp; score: number };

const MATCH_SCORE = 0.6;
/** Score when the user mentions templates, prompts or markup: the token may be the topic. */
const TOPIC_SCORE = 0.35;
const TOPIC =
  /\b(?:templates?|placeholders?|jinja|handlebars|mustache|liquid|prompt(?:s|ing)?|chat ?ml|tokeni[sz]ers?|special tokens?|tokens?|markup|html|xml|syntax|variables?|mail ?merge|github actions?|helm|ansible|vue|angular|regex|latex)\b/i;

const tags = (...names: readonly string[]) => names.flatMap((name) => [`<${name}`, `</${name}`]);
const LEAKS: readonly Leak[] = [
  {
    kind: "chat template token",
    hints: ["<", "["],
    pattern:
      /<\|(?:im_start|im_end|im_sep|endoftext|eot_id|eom_id|start_header_id|end_header_id|begin_of_text|end_of_text|system|user|assistant|end|start|message|channel|return|call|python_tag|tool_call|endofprompt|pad|fim_\w{3,10}|reserved_special_token_\d{1,3})\|>|<｜[^｜\n]{1,40}｜>|<(?:start|end)_of_turn>|<(?:bos|eos|pad|unk)>|\[\/?INST\]|<<\/?SYS>>|<\/s>|\[\/?(?:SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]/,
    score: 0.95,
  },
  {
    kind: "instruction header",
    hints: ["##"],
    pattern: /(?:^|\n)#{2,3} ?(?:Instruction|Response|Human|Assistant|System|User):[ \t]{0,3}(?:\n|$)/,
    score: 0.8,
  },
  {
    kind: "role marker",
    hints: ["Human:", "User:", "H:"],
    pattern: /\n{1,3}(?:Human|User|H): ?[^\n]{1,300}\n{1,3}(?:Assistant|AI|A): ?/,
    score: 0.62,
  },
  {
    kind: "raw tool call",
    hints: ["=functions.", '"name"', '"function"', '"tool"', ...tags("tool_", "function", "invoke", "antml:")],
    pattern:
      /<\/?(?:tool_call|function_call|function_calls|tool_response|invoke|antml:\w{3,20})\b[^>\n]{0,100}>|<function=\w{1,60}>|\bto=functions\.\w{1,60}|(?:^|\n)\s{0,8}\{\s{0,8}"(?:name|function|tool)"\s{0,3}:\s{0,3}"[\w.-]{1,80}"\s{0,3},\s{0,8}"(?:arguments|parameters|args|tool_input)"\s{0,3}:\s{0,3}\{/,
    score: 0.8,
  },
  {
    kind: "reasoning tag",
    hints: ["<"],
    pattern: /<\/?(?:think|thinking|reasoning|scratchpad|inner_monologue)>/i,
    score: 0.7,
  },
  {
    kind: "unfilled variable",
    hints: ["{", "[object", "%("],
    pattern:
      /\{\{ ?[#/^]?[A-Za-z_][\w.]{0,60}(?: ?\| ?\w{1,30})? ?\}\}|\{% ?[a-z]{2,12}\b[^%\n]{0,80}%\}|\$\{[A-Za-z_][\w.]{0,60}\}|(?<![\w{$\\=/])\{[a-z]{1,30}_[a-z_]{1,40}\}(?![\w}])|\[object Object\]|%\([a-z_]{1,40}\)s/,
    score: 0.8,
  },
];
/** Characters of a reply that are searched. */
const READ = 100_000;
const QUESTION_READ = 4000;
/** Distinct tokens per conversation that are searched for in other messages; further ones count as quoted. */
const TOKENS_READ = 100;

export const leakedTemplate: Detector = {
  signal: "leaked_template",
  severity: "high",
  enabledByDefault: true,
  reads: "before",
  looksFor: "Chat template tokens, raw tool calls, reasoning tags or unfilled variables in what the user reads.",
  detect(conversation) {
    const quoted = new Map<string, boolean>();
    const isQuoted = (token: string) => {
      let answer = quoted.get(token);
      if (answer === undefined) {
        answer = quoted.size >= TOKENS_READ || saidByOthers(conversation.messages, token);
        quoted.set(token, answer);
      }
      return answer;
    };
    const isTopic = memoizeLast((question) => TOPIC.test(question.slice(0, QUESTION_READ)));
    return mergeByCause(
      spokenMessages(conversation.messages).flatMap((spoken) => leaks(conversation, spoken, isQuoted, isTopic)),
    );
  },
};

function leaks(
  { messages }: ConversationSnapshot,
  { index, text, message, question }: SpokenMessage,
  isQuoted: (token: string) => boolean,
  isTopic: (question: string) => boolean,
): DetectedSignal[] {
  const prose = text.length <= READ ? proseOf(message) : proseIn(text.slice(0, READ));
  return LEAKS.flatMap(({ kind, hints, pattern, score }) => {
    const found = hints.some((hint) => prose.includes(hint)) ? pattern.exec(prose) : null;
    if (!found) return [];
    const token = found[0].trim();
    // A reply entirely in JSON, beside real tool calls, may be structured output.
    if (kind === "raw tool call" && message.toolCalls.length > 0 && /^\s{0,20}[[{]/.test(prose)) return [];
    if (isQuoted(token.slice(0, 40))) return [];
    const hidden = kind === "reasoning tag" && (message.toolCalls.length > 0 || followsWithTools(messages, index));
    const sure = hidden || isTopic(question) ? TOPIC_SCORE : score;
    return [
      {
        name: "leaked_template",
        score: sure,
        verdict: sure >= MATCH_SCORE ? ("match" as const) : ("ambiguous" as const),
        evidence: [quoteMessage(messages, index, found.index, found.index + found[0].length)],
        cause: kind,
        title: `An answer shows ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`,
        summary: `The answer contains “${excerpt(text.slice(Math.max(0, found.index - 40), found.index + 80), 120)}”.`,
      },
    ];
  });
}

/** Returns whether another agent step follows, so that the message does not address the user. */
function followsWithTools(messages: ConversationSnapshot["messages"], index: number): boolean {
  const next = messages[index + 1];
  return next !== undefined && next.role !== "user";
}
