import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type FeedbackData, feedbackByMessage } from "./feedback-words";

/** More feedback than this on one conversation is not shown. */
const SHOWN = 500;
const NONE: readonly FeedbackData[] = [];

/** Returns what users said about a conversation: all of it, and grouped by the message it is about. */
export function useFeedback(projectId: string, conversationId: string) {
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.feedback.list.queryOptions({ projectId, conversationId, limit: SHOWN }, { refetchInterval: 30_000 }),
  );
  const all = data?.feedback ?? NONE;
  const byMessage = useMemo(() => feedbackByMessage(all), [all]);
  return { all, byMessage, error };
}
