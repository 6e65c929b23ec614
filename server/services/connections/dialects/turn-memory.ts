import { isDeepStrictEqual } from "node:util";
import type { LanguageModelV4Message } from "@ai-sdk/provider";
import { LRUCache } from "lru-cache";
import { HOUR_MS } from "@/server/platform/durations";

/** What an assistant says in one message. */
export type Turn = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/** Turns that call tools, with thoughts and signatures that clients of the OpenAI API do not send back. */
export type TurnMemory = {
  remember: (turn: Turn) => void;
  /** Returns the same turn as the model said it; `null` if it is not known, or was changed. */
  recall: (turn: Turn) => Turn | null;
};

const MEMORY_CHARACTERS = 64 * 1024 * 1024;
const TURN_CHARACTERS_MAX = 1024 * 1024;
const TURNS_MAX = 50_000;

const turns = new LRUCache<string, Turn>({
  max: TURNS_MAX,
  maxSize: MEMORY_CHARACTERS,
  maxEntrySize: TURN_CHARACTERS_MAX,
  sizeCalculation: (turn) => JSON.stringify(turn).length,
  ttl: 6 * HOUR_MS,
});

const callsIn = (turn: Turn) =>
  turn.flatMap((part) =>
    part.type === "tool-call" ? [{ id: part.toolCallId, name: part.toolName, input: part.input }] : [],
  );
const textIn = (turn: Turn) => turn.map((part) => (part.type === "text" ? part.text : "")).join("");
const isSame = (one: Turn, other: Turn) =>
  textIn(one) === textIn(other) && isDeepStrictEqual(callsIn(one), callsIn(other));

/** Returns the memory of one connection, in this process: after a restart its turns are not known. */
export function turnMemory(projectId: string, connectionId: string): TurnMemory {
  const keyOf = (turn: Turn) => {
    const [first] = callsIn(turn);
    return first && JSON.stringify([projectId, connectionId, first.id]);
  };
  return {
    remember(turn) {
      const key = keyOf(turn);
      const hasMore = turn.some((part) => part.type === "reasoning" || part.providerOptions !== undefined);
      if (key !== undefined && hasMore) turns.set(key, turn);
    },
    recall(turn) {
      const key = keyOf(turn);
      const known = key === undefined ? undefined : turns.get(key);
      return known && isSame(known, turn) ? known : null;
    },
  };
}
