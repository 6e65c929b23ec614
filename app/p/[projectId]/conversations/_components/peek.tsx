"use client";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { FeedbackList } from "../[conversationId]/_components/feedback/feedback-list";
import { useFeedback } from "../[conversationId]/_components/feedback/use-feedback";
import { chunkInput, summaryInput } from "../[conversationId]/_components/inputs";
import { Facts } from "../[conversationId]/_components/rail/facts";
import { FindingsRail } from "../[conversationId]/_components/rail/findings-rail";
import rail from "../[conversationId]/_components/rail/rail.module.css";
import { useOccurrences } from "../[conversationId]/_components/rail/use-occurrences";
import { marksOf } from "../[conversationId]/_components/transcript/marks";
import { MessageView } from "../[conversationId]/_components/transcript/message-view";
import { contextOf } from "../[conversationId]/_components/transcript/transcript";
import classes from "./peek.module.css";

const MESSAGES_SHOWN = 30;

/** A conversation next to the list: its Findings, facts and messages. */
export function Peek({
  projectId,
  conversationId,
  onClose,
}: {
  projectId: string;
  conversationId: string;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const summary = useQuery(trpc.conversations.get.queryOptions(summaryInput(projectId, conversationId)));
  const first = useQuery(trpc.conversations.messages.queryOptions(chunkInput(projectId, conversationId, 0)));
  const { findings, pairs, isPending } = useOccurrences(projectId, conversationId);
  const feedback = useFeedback(projectId, conversationId);
  const ofConversation = feedback.byMessage.get(null) ?? [];
  const marks = useMemo(() => marksOf(pairs), [pairs]);
  const conversation = summary.data?.conversation;
  const startedAt = conversation?.startedAt ?? 0;
  const context = useMemo(
    () => first.data && contextOf(projectId, { ...first.data, startedAt }),
    [projectId, first.data, startedAt],
  );
  const error = summary.error ?? first.error;
  const retry = () => {
    for (const query of [summary, first]) if (query.error) void query.refetch();
  };
  const href = `/p/${projectId}/conversations/${encodeURIComponent(conversationId)}`;
  return (
    <PeekPanel
      label="Conversation"
      title={conversation?.preview ?? conversation?.externalId ?? "Conversation"}
      openHref={href}
      onClose={onClose}
    >
      {conversation && first.data && context ? (
        <>
          <div className={classes.section}>
            <FindingsRail projectId={projectId} findings={findings} pairs={pairs} isPending={isPending} base={href} />
          </div>
          <div className={classes.section}>
            <Facts projectId={projectId} conversation={conversation} feedback={feedback} />
          </div>
          {ofConversation.length > 0 ? (
            <div className={classes.section}>
              <h2 className={rail.title}>Feedback on the conversation</h2>
              <FeedbackList feedback={ofConversation} />
            </div>
          ) : null}
          {first.data.messages.slice(0, MESSAGES_SHOWN).map((message) => (
            <MessageView
              key={message.index}
              inPeek
              message={message}
              index={message.index}
              marks={marks.byMessage.get(message.index) ?? []}
              context={context}
              feedback={feedback.byMessage.get(message.index)}
            />
          ))}
          {conversation.messageCount > MESSAGES_SHOWN ? (
            <p className={classes.section}>
              <a href={href}>{plural(conversation.messageCount - MESSAGES_SHOWN, "more message")}</a>
            </p>
          ) : null}
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={retry} retrying={summary.isFetching || first.isFetching} />
      ) : (
        <Stack p="md" gap="md" role="status" aria-label="Loading the conversation">
          {[90, 60, 75, 40, 80].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}
