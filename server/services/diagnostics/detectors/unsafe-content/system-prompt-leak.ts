import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { textOf } from "../reading/text";
import { longestCommonRun, runIndex } from "./common-run";

/** Letters and digits in common. A prompt's facts are meant to be repeated in part; its instructions are not. */
const LETTERS = { possible: 110, sure: 200 } as const;
const SCORES = { sure: 0.9, instructions: 0.8, possible: 0.5 } as const;
const MATCH_SCORE = 0.7;
const SYSTEM_ROLES = new Set(["system", "developer"]);
/** Minimum letters of a prompt worth protecting, and maximum characters of one that are read. */
const PROMPT_LEAST = 120;
const PROMPT_READ = 60_000;
const INSTRUCTIONS =
  /\b(?:you are|you must|your (?:role|task|job|goal|name|instructions)|do not|don['’]t|never|always|respond|instructions?|assistant|the user|only answer|refuse)\b|\b(?:du bist|sie sind|tu es|vous êtes|eres|você é|sei un)\b|あなたは|你是|당신은|ты —/gi;

export const systemPromptLeak: Detector = {
  signal: "system_prompt_leak",
  severity: "high",
  enabledByDefault: true,
  looksFor: "A long verbatim piece of the system prompt's instructions in an answer.",
  detect(conversation) {
    const prompts = conversation.messages
      .filter(({ role }) => SYSTEM_ROLES.has(role))
      .map((message) => textOf(message).slice(0, PROMPT_READ))
      .filter((text) => text.length >= PROMPT_LEAST);
    return mergeByCause(prompts.flatMap((prompt) => leaks(conversation, prompt)));
  },
};

function leaks({ messages }: ConversationSnapshot, prompt: string): DetectedSignal[] {
  const spoken = spokenMessages(messages).filter(({ text }) => text.length >= LETTERS.possible);
  if (spoken.length === 0) return [];
  const index = runIndex(prompt);
  return spoken.flatMap(({ index: at, text }) => {
    const run = longestCommonRun(index, text);
    if (!run || run.letters < LETTERS.possible) return [];
    const piece = text.slice(run.start, run.end);
    if (
      messages.some(
        ({ role }, other) => role === "user" && other < at && textOf(messages[other]!).includes(piece.slice(0, 80)),
      )
    )
      return [];
    const score = scoreOf(piece, run.letters, index.letters);
    if (score === 0) return [];
    return [
      {
        name: "system_prompt_leak",
        score,
        verdict: score >= MATCH_SCORE ? ("match" as const) : ("ambiguous" as const),
        evidence: [quoteMessage(messages, at, run.start, run.end)],
        cause: `repeats: ${excerpt(prompt, 60).toLowerCase()}`,
        title: "An answer repeats the system prompt word for word",
        summary: `An answer repeats ${run.letters} letters of the system prompt word for word: “${excerpt(piece, 160)}”.`,
      },
    ];
  });
}

const WHOLE_SHARE = 0.6;

function scoreOf(piece: string, letters: number, ofPrompt: number): number {
  const instructs = new Set((piece.match(INSTRUCTIONS) ?? []).map((word) => word.toLowerCase())).size;
  if (instructs === 0) return 0;
  if (letters >= LETTERS.sure && (instructs >= 3 || letters >= ofPrompt * WHOLE_SHARE)) return SCORES.sure;
  if (letters >= LETTERS.sure && instructs >= 2) return SCORES.instructions;
  return letters >= ofPrompt * WHOLE_SHARE ? SCORES.instructions : SCORES.possible;
}
