import {
  type DiagnosedSignal,
  diagnoseSnapshot,
  type LabelledConversation,
  snapshotFromLabelled,
} from "@/bench/labelled";
import type { Verdict } from "./figures";
import { CONVERSATION_GOLD, type Gold, MESSAGE_GOLD } from "./gold";

export type LabelledFile = { file: string; conversations: readonly LabelledConversation[] };
/** A conversation and all Signals found in it. */
export type Diagnosed = { file: string; conversation: LabelledConversation; found: readonly DiagnosedSignal[] };
/** A verdict about one Signal in one conversation, or in one message. */
export type Reading = { file: string; signal: string; family: string | null; verdict: Verdict };

export const diagnoseFile = ({ file, conversations }: LabelledFile): Diagnosed[] =>
  conversations.map((conversation) => ({
    file,
    conversation,
    found: diagnoseSnapshot(snapshotFromLabelled(conversation)),
  }));

/** Returns a reading for each Signal that a conversation's labels cover. */
export function conversationReadings({ file, conversation, found }: Diagnosed): Reading[] {
  const golds = Object.entries(CONVERSATION_GOLD).map(([signal, read]) => [signal, read(conversation, file)] as const);
  return [...golds, ...generatedGold(conversation)].flatMap(([signal, gold]) =>
    gold
      ? [
          {
            file,
            signal,
            family: gold.family ?? null,
            verdict: {
              present: gold.present,
              found: found.filter(({ name }) => name === signal),
              correct: gold.correct ?? (() => gold.present),
            },
          },
        ]
      : [],
  );
}

function generatedGold({ labels }: LabelledConversation): (readonly [string, Gold])[] {
  const signals = labels?.signals;
  if (!signals || typeof signals !== "object") return [];
  return Object.entries(signals).map(([signal, present]) => [signal, { present: present === true }] as const);
}

/** Returns a reading per judged message: a Signal is in a message when it quotes it. */
export function messageReadings({ file, conversation, found }: Diagnosed): Reading[] {
  return Object.entries(MESSAGE_GOLD).flatMap(([signal, read]) => {
    const ours = found.filter(({ name }) => name === signal);
    return [...(read(conversation, file) ?? [])].map(([index, present]) => ({
      file,
      signal,
      family: null,
      verdict: {
        present,
        found: ours.filter(({ evidence }) => evidence.some(({ messageIndex }) => messageIndex === index)),
        correct: () => present,
      },
    }));
  });
}
