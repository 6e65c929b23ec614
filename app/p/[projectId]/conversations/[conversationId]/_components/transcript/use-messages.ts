import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import type { PlacedMessage, ToolCall } from "@/server/services/telemetry/schemas";

type Conversation = RouterOutputs["conversations"]["get"]["conversation"];

/** Messages per request. */
const CHUNK = 50;
/** Chunks held at a time; beyond that, the least recently requested is dropped. */
const CHUNKS_MAX = 12;

/**
 * Loads a conversation's messages around the visible ones: the first come with it, others are loaded in chunks. A chunk
 * with long texts comes back short, and another starts after it.
 */
export function useMessages(projectId: string, conversation: Conversation, inView: readonly number[]) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { id: conversationId, messages: first, messagesCursor, messageCount, lastActivityAt } = conversation;
  const [starts, setStarts] = useState<readonly number[]>([]);
  const chunks = useQueries({
    queries: starts.map((fromIndex) =>
      trpc.conversations.messages.queryOptions({ projectId, conversationId, fromIndex, limit: CHUNK }),
    ),
    combine: (results) => ({
      byStart: new Map(results.map((result, n) => [starts[n], result.data])),
      error: results.find((result) => result.error)?.error ?? null,
      retry: () => results.filter((result) => result.error).forEach((result) => void result.refetch()),
    }),
  });

  const known = useMemo(() => {
    const messages = new Map<number, PlacedMessage>();
    const toolCalls: ToolCall[] = [...conversation.toolCalls];
    for (const chunk of chunks.byStart.values()) {
      for (const message of chunk?.messages ?? []) messages.set(message.index, message);
      toolCalls.push(...(chunk?.toolCalls ?? []));
    }
    for (const message of first) messages.set(message.index, message);
    return { messages, toolCalls };
  }, [chunks, first, conversation.toolCalls]);

  const wanted = messagesCursor === null ? [] : startsFor(inView, first.length, chunks.byStart);
  const missing = wanted.some((start) => !starts.includes(start));
  useEffect(() => {
    if (missing) setStarts((held) => [...new Set([...wanted, ...held])].slice(0, Math.max(CHUNKS_MAX, wanted.length)));
  });

  // Messages were added or refetched, so the loaded chunks are stale.
  const version = `${messageCount} ${lastActivityAt}`;
  const held = useRef(version);
  useEffect(() => {
    if (held.current === version) return;
    held.current = version;
    void queries.invalidateQueries({ queryKey: trpc.conversations.messages.pathKey() });
  }, [version, queries, trpc]);

  return {
    count: messagesCursor === null ? first.length : messageCount,
    messages: known.messages,
    toolCalls: known.toolCalls,
    error: chunks.error,
    retry: chunks.retry,
  };
}

type Chunk = { messages: readonly { index: number }[] } | undefined;

/** Returns the starts of the chunks that contain these messages, as far as known: after a short one, its end. */
export function startsFor(
  indexes: readonly number[],
  carried: number,
  chunks: ReadonlyMap<number | undefined, Chunk>,
): number[] {
  const starts = new Set<number>();
  for (const index of indexes) {
    if (index < carried) continue;
    for (let start = index - (index % CHUNK); start <= index; ) {
      starts.add(start);
      const last = chunks.get(start)?.messages.at(-1);
      if (!last || last.index >= index) break;
      start = last.index + 1;
    }
  }
  return [...starts];
}
