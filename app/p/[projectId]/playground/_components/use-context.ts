import { skipToken, useQuery } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "@/app/_lib/trpc/client";
import { type PlacedMessage, sentFor } from "@/server/services/telemetry/schemas";
import { messagesOf } from "./chat";

/** Messages per request, and in total: no model tried here accepts more. */
const CHUNK = 50;
const MESSAGES_MAX = 1000;

/** Reads a conversation's messages before a turn, and the turn's recorded answer. */
export function useContextMessages(projectId: string, conversation: string | null, turn: number | null) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = useQuery({
    queryKey: [...trpc.conversations.messages.pathKey(), "up-to", projectId, conversation, turn],
    queryFn:
      conversation === null || turn === null
        ? skipToken
        : async () => {
            const found: PlacedMessage[] = [];
            for (let fromIndex = 0; fromIndex <= turn && found.length < MESSAGES_MAX; ) {
              const { messages } = await client.conversations.messages.query({
                projectId,
                conversationId: conversation,
                fromIndex,
                limit: CHUNK,
              });
              found.push(...messages);
              const last = messages.at(-1);
              if (last === undefined) break;
              fromIndex = last.index + 1;
            }
            const answer = found.find(({ index }) => index === turn);
            const before = found.filter(({ index }) => index < turn);
            return {
              before: messagesOf(answer ? sentFor(answer, before) : before),
              recorded: (answer && messagesOf([answer])[0]?.content) ?? null,
            };
          },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { query, before: query.data?.before ?? [], recorded: query.data?.recorded ?? null };
}
