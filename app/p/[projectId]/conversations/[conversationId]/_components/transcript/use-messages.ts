import { type UseQueryResult, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import type { PlacedMessage, ToolCall } from "@/server/services/telemetry/schemas";
import { CHUNK, chunkInput, firstStarts } from "../inputs";

type Conversation = { id: string; version: string; messageCount: number };
type Chunk = RouterOutputs["conversations"]["messages"];

/** Messages loaded beyond those rendered, so that scrolling rarely reaches an empty one. */
const AHEAD = 20;
/** Chunks held at a time; beyond that, the least recently requested is dropped. */
const CHUNKS_MAX = 12;

/**
 * Loads a conversation's messages in chunks around the rendered ones, `from` to `to`. A chunk with long text comes back short,
 * and another starts after it. A chunk whose version differs from the conversation's is refetched only when it is needed,
 * so that a growing session costs no more than what is in view.
 */
export function useMessages(projectId: string, conversation: Conversation, from: number, to: number) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { id: conversationId, version, messageCount } = conversation;
  const [starts, setStarts] = useState<readonly number[]>(() => firstStarts(messageCount));
  const optionsOf = (fromIndex: number) =>
    trpc.conversations.messages.queryOptions(chunkInput(projectId, conversationId, fromIndex), {
      staleTime: Number.POSITIVE_INFINITY,
    });
  // The same function for the same chunks, so that the results are not derived again with every row scrolled.
  const combine = useCallback(
    (results: readonly UseQueryResult<Chunk, unknown>[]) => ({
      byStart: new Map(results.map((result, n) => [starts[n], result.data])),
      fetching: new Set(starts.filter((_, n) => results[n]?.isFetching)),
      error: results.find((result) => result.error)?.error ?? null,
      retry: () => results.filter((result) => result.error).forEach((result) => void result.refetch()),
    }),
    [starts],
  );
  const chunks = useQueries({ queries: starts.map(optionsOf), combine });

  const known = useMemo(() => {
    const messages = new Map<number, PlacedMessage>();
    const toolCalls: ToolCall[] = [];
    for (const chunk of inReadingOrder(chunks.byStart.values(), version)) {
      for (const message of chunk.messages) messages.set(message.index, message);
      toolCalls.push(...chunk.toolCalls);
    }
    return { messages, toolCalls };
  }, [chunks.byStart, version]);

  const needed = startsFor({ from: from - AHEAD, to: to + AHEAD, count: messageCount }, chunks.byStart);
  const missing = needed.some((start) => !starts.includes(start));
  useEffect(() => {
    if (missing) setStarts((held) => [...new Set([...needed, ...held])].slice(0, Math.max(CHUNKS_MAX, needed.length)));
  });

  // Once per version: a chunk fetched after a summary may already have the next summary's version. A chunk that is still
  // loading is checked when it arrives, since it may have been requested before this version.
  const readAgain = useRef(new Map<number, string>());
  useEffect(() => {
    for (const start of needed) {
      const chunk = chunks.byStart.get(start);
      if (!chunk || chunk.version === version || chunks.fetching.has(start)) continue;
      if (readAgain.current.get(start) === version) continue;
      readAgain.current.set(start, version);
      void queries.invalidateQueries({ queryKey: optionsOf(start).queryKey, exact: true });
    }
  });

  return { ...known, error: chunks.error, retry: chunks.retry };
}

/** Chunks can overlap after a short one: those of the current version come last, so that they win. */
const inReadingOrder = (chunks: Iterable<Chunk | undefined>, version: string) =>
  [...chunks]
    .filter((chunk) => chunk !== undefined)
    .sort((a, b) => Number(a.version === version) - Number(b.version === version));

type Extent = { messages: readonly { index: number }[]; pagination: { nextCursor: string | null } };

/**
 * Returns the starts of the chunks that contain the messages `from` to `to`, as far as known: after a short chunk, the next
 * one starts at its end. A chunk that ended with the conversation is not short: it grows when it is refetched.
 */
export function startsFor(
  { from, to, count }: { from: number; to: number; count: number },
  chunks: ReadonlyMap<number | undefined, Extent | undefined>,
): number[] {
  const starts: number[] = [];
  const first = Math.max(0, from);
  const last = Math.min(to, count - 1);
  for (let block = first - (first % CHUNK); block <= last; block += CHUNK) {
    for (let start = block; start < block + CHUNK && start <= last; ) {
      starts.push(start);
      const chunk = chunks.get(start);
      const end = chunk?.messages.at(-1);
      if (!end || chunk?.pagination.nextCursor === null) break;
      start = end.index + 1;
    }
  }
  return starts;
}
