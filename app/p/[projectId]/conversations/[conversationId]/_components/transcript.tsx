"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useState } from "react";
import type { RouterOutputs } from "@/app/_lib/trpc";
import type { Mark } from "./marks";
import { type MessageContext, MessageView } from "./message-view";
import classes from "./transcript.module.css";

export type ConversationData = RouterOutputs["conversations"]["get"]["conversation"];
type Props = {
  projectId: string;
  conversation: ConversationData;
  marks: ReadonlyMap<number, Mark[]>;
  scroller: HTMLElement | null;
};

/** Up to here every message is in the page, where the browser's own search finds it. */
const ALL_IN_PAGE = 150;
const GUESSED_HEIGHT = 120;
const HASH = /^#m-(\d+)$/;

export function contextOf(projectId: string, { messages, toolCalls, startedAt }: ConversationData): MessageContext {
  const calls = messages.flatMap((message) => message.toolCalls);
  return {
    projectId,
    startedAt,
    nameOfCall: new Map([
      ...toolCalls.flatMap(({ callId, name }) => (callId === null ? [] : [[callId, name] as const])),
      ...calls.flatMap(({ id, name }) => (id === null ? [] : [[id, name] as const])),
    ]),
    spanOfCall: new Map(toolCalls.flatMap((call) => (call.callId === null ? [] : [[call.callId, call] as const]))),
    answered: new Set(messages.flatMap(({ toolCallId }) => (toolCallId === null ? [] : [toolCallId]))),
  };
}

export function Transcript({ projectId, conversation, marks, scroller }: Props) {
  const context = useMemo(() => contextOf(projectId, conversation), [projectId, conversation]);
  const { messages } = conversation;
  if (messages.length <= ALL_IN_PAGE) {
    return (
      <div className={classes.list}>
        {messages.map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the conversation
          <MessageView key={index} message={message} index={index} marks={marks.get(index) ?? []} context={context} />
        ))}
      </div>
    );
  }
  return <LongTranscript conversation={conversation} marks={marks} scroller={scroller} context={context} />;
}

function LongTranscript({
  conversation,
  marks,
  scroller,
  context,
}: Omit<Props, "projectId"> & { context: MessageContext }) {
  const { messages } = conversation;
  const virtual = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller,
    estimateSize: () => GUESSED_HEIGHT,
    overscan: 6,
    initialRect: { width: 900, height: 1200 },
  });
  const [target, setTarget] = useState<number | null>(null);
  useEffect(() => {
    if (!scroller) return;
    const go = () => {
      const index = HASH.exec(window.location.hash)?.[1];
      if (index === undefined || Number(index) >= messages.length) return;
      setTarget(Number(index));
      virtual.scrollToIndex(Number(index), { align: "center" });
    };
    go();
    window.addEventListener("hashchange", go);
    return () => window.removeEventListener("hashchange", go);
  }, [virtual, scroller, messages.length]);
  return (
    <div className={classes.list} style={{ position: "relative", blockSize: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const message = messages[item.index];
        return message ? (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className={classes.placed}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <MessageView
              message={message}
              index={item.index}
              marks={marks.get(item.index) ?? []}
              context={context}
              targeted={item.index === target}
            />
          </div>
        ) : null;
      })}
    </div>
  );
}
