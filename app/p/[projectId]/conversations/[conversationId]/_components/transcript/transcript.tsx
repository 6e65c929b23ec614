"use client";
import { Skeleton } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import type { PlacedMessage } from "@/server/services/telemetry/schemas";
import type { AnswerToCorrect } from "../../../../_components/datasets/correct-answer";
import type { FeedbackData } from "../feedback/feedback-words";
import type { Mark } from "./marks";
import { type MessageContext, MessageView } from "./message-view";
import classes from "./transcript.module.css";
import { useMessages } from "./use-messages";

export type ConversationData = RouterOutputs["conversations"]["get"]["conversation"];
type Props = {
  projectId: string;
  conversation: ConversationData;
  marks: ReadonlyMap<number, Mark[]>;
  feedback: ReadonlyMap<number | null, readonly FeedbackData[]>;
  scroller: HTMLElement | null;
  /** For readers who may correct answers. */
  onCorrect: ((answer: AnswerToCorrect) => void) | undefined;
  /** The address at which the messages before an answer are asked again; for readers who may. */
  replayHref: ((index: number) => string) | undefined;
};

/** Up to this many messages are all in the DOM, so that the browser's own search finds them. */
const ALL_IN_PAGE = 150;
const GUESSED_HEIGHT = 120;
const HASH = /^#m-(\d+)$/;

type Known = Pick<ConversationData, "startedAt" | "toolCalls"> & { messages: Iterable<PlacedMessage> };

export function contextOf(projectId: string, { messages, toolCalls, startedAt }: Known): MessageContext {
  const all = [...messages];
  const calls = all.flatMap((message) => message.toolCalls);
  return {
    projectId,
    startedAt,
    nameOfCall: new Map([
      ...toolCalls.flatMap(({ callId, name }) => (callId === null ? [] : [[callId, name] as const])),
      ...calls.flatMap(({ id, name }) => (id === null ? [] : [[id, name] as const])),
    ]),
    spanOfCall: new Map(toolCalls.flatMap((call) => (call.callId === null ? [] : [[call.callId, call] as const]))),
    answered: new Set(all.flatMap(({ toolCallId }) => (toolCallId === null ? [] : [toolCallId]))),
  };
}

export function Transcript(props: Props) {
  const { messages, messagesCursor } = props.conversation;
  return messagesCursor === null && messages.length <= ALL_IN_PAGE ? (
    <ShortTranscript {...props} />
  ) : (
    <LongTranscript {...props} />
  );
}

function ShortTranscript({ projectId, conversation, marks, feedback, onCorrect, replayHref }: Props) {
  const context = useMemo(() => contextOf(projectId, conversation), [projectId, conversation]);
  return (
    <div className={classes.list}>
      {conversation.messages.map((message) => (
        <MessageView
          key={message.index}
          message={message}
          index={message.index}
          marks={marks.get(message.index) ?? []}
          feedback={feedback.get(message.index)}
          context={context}
          onCorrect={onCorrect}
          replayHref={replayHref}
        />
      ))}
    </div>
  );
}

/** Only visible messages are in the DOM, and of a very long conversation only those around them are loaded. */
function LongTranscript({ projectId, conversation, marks, feedback, scroller, onCorrect, replayHref }: Props) {
  const [inView, setInView] = useState<readonly number[]>([]);
  const { count, messages, toolCalls, error, retry } = useMessages(projectId, conversation, inView);
  const { startedAt } = conversation;
  const context = useMemo(
    () => contextOf(projectId, { startedAt, messages: messages.values(), toolCalls }),
    [projectId, startedAt, messages, toolCalls],
  );
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => GUESSED_HEIGHT,
    overscan: 6,
    initialRect: { width: 900, height: 1200 },
  });
  const items = virtual.getVirtualItems();
  const shown = `${items[0]?.index ?? 0}-${items.at(-1)?.index ?? -1}`;
  useEffect(() => {
    const [from = 0, to = -1] = shown.split("-").map(Number);
    setInView(Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n));
  }, [shown]);

  const [target, setTarget] = useState<number | null>(null);
  useEffect(() => {
    if (!scroller) return;
    const go = () => {
      const index = HASH.exec(window.location.hash)?.[1];
      if (index === undefined || Number(index) >= count) return;
      setTarget(Number(index));
      virtual.scrollToIndex(Number(index), { align: "center" });
    };
    go();
    window.addEventListener("hashchange", go);
    return () => window.removeEventListener("hashchange", go);
  }, [virtual, scroller, count]);
  // Once loaded, its height differs from the estimate.
  const targetIsThere = target !== null && messages.has(target);
  useEffect(() => {
    if (target !== null && targetIsThere) virtual.scrollToIndex(target, { align: "center" });
  }, [virtual, target, targetIsThere]);
  return (
    <>
      {error ? <ErrorState error={error} onRetry={retry} retrying={false} /> : null}
      <div className={classes.list} style={{ position: "relative", blockSize: virtual.getTotalSize() }}>
        {items.map((item) => {
          const message = messages.get(item.index);
          return (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className={classes.placed}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {message ? (
                <MessageView
                  message={message}
                  index={item.index}
                  marks={marks.get(item.index) ?? []}
                  feedback={feedback.get(item.index)}
                  context={context}
                  targeted={item.index === target}
                  onCorrect={onCorrect}
                  replayHref={replayHref}
                />
              ) : (
                <div className={classes.message} style={{ blockSize: GUESSED_HEIGHT }} aria-busy>
                  <div className={classes.gutter}>
                    <span className={classes.anchor}>#{item.index}</span>
                  </div>
                  <Skeleton height={14} width="60%" />
                </div>
              )}
            </div>
          );
        })}
      </div>
    </>
  );
}
