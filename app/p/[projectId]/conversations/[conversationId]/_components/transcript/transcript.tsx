"use client";
import { Button, Skeleton } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { plural } from "@/app/_lib/format";
import type { ConversationSummary, PlacedMessage, ToolCall } from "@/server/services/telemetry/schemas";
import type { AnswerToCorrect } from "../../../../_components/datasets/correct-answer";
import type { FeedbackData } from "../feedback/feedback-words";
import { ALL_IN_PAGE } from "../inputs";
import type { Mark } from "./marks";
import { type MessageContext, MessageView } from "./message-view";
import classes from "./transcript.module.css";
import { useFollowEnd } from "./use-follow-end";
import { useHeldPlace } from "./use-held-place";
import { useMessages } from "./use-messages";
import { useTarget } from "./use-target";

/** A conversation without its parts. */
export type ConversationData = ConversationSummary & { version: string };
type Props = {
  projectId: string;
  conversation: ConversationData;
  marks: ReadonlyMap<number, Mark[]>;
  feedback: ReadonlyMap<number | null, readonly FeedbackData[]>;
  scroller: HTMLElement | null;
  wanted: { index: number } | null;
  onSpan: (spanId: string) => void;
  /** For readers who may correct answers. */
  onCorrect: ((answer: AnswerToCorrect) => void) | undefined;
  /** Returns the URL for replaying the messages before an answer; for readers who may. */
  replayHref: ((index: number) => string) | undefined;
  /** Whether the reader may try a fix on an answer. */
  mayFix: boolean;
};

const GUESSED_HEIGHT = 120;
const OVERSCAN = 6;
const NO_MARKS: Mark[] = [];

type Known = { startedAt: number; toolCalls: readonly ToolCall[]; messages: Iterable<PlacedMessage> };

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

/**
 * The messages. Only those near the view are loaded and, in a long conversation, only those are in the DOM. The rest is
 * padding above and below, so that the page is readable before its script runs and no message waits for another's position.
 */
export function Transcript({
  projectId,
  conversation,
  marks,
  feedback,
  scroller,
  wanted,
  onSpan,
  onCorrect,
  replayHref,
  mayFix,
}: Props) {
  const { startedAt, messageCount: count } = conversation;
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer<HTMLElement, HTMLDivElement>({
    count,
    getScrollElement: () => scroller,
    estimateSize: () => GUESSED_HEIGHT,
    measureElement: exactHeight,
    overscan: count <= ALL_IN_PAGE ? ALL_IN_PAGE : OVERSCAN,
    initialRect: { width: 900, height: 1200 },
  });
  // Rows are in normal flow, so resizing one above the view moves everything below it, whichever way the reader scrolls.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = ({ key, start, end }, _, { scrollOffset, itemSizeCache }) =>
    (itemSizeCache.has(key) ? end : start + 1) <= (scrollOffset ?? 0);
  const items = virtual.getVirtualItems();
  const from = items[0]?.index ?? 0;
  const to = items.at(-1)?.index ?? -1;
  const { messages, toolCalls, error, retry } = useMessages(projectId, conversation, from, to);
  const context = useMemo(
    () => contextOf(projectId, { startedAt, messages: messages.values(), toolCalls }),
    [projectId, startedAt, messages, toolCalls],
  );
  useHeldPlace({ virtual, list, messages });
  const { following, fresh, follow, stay } = useFollowEnd({ virtual, scroller, list, count, messages });
  const target = useTarget({ virtual, scroller, count, messages, wanted, onTarget: stay });
  const above = items[0]?.start ?? 0;
  const below = Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0));
  return (
    <>
      {error ? <ErrorState error={error} onRetry={retry} retrying={false} /> : null}
      <div className={classes.list} ref={list} style={{ paddingBlock: `${above}px ${below}px` }}>
        {items.map(({ key, index, size }) => {
          const message = messages.get(index);
          return message ? (
            <div key={key} ref={virtual.measureElement} data-index={index}>
              <MessageView
                message={message}
                index={index}
                marks={marks.get(index) ?? NO_MARKS}
                feedback={feedback.get(index)}
                context={context}
                targeted={index === target}
                onSpan={onSpan}
                onCorrect={onCorrect}
                replayHref={replayHref}
                fixable={mayFix ? conversation.id : undefined}
              />
            </div>
          ) : (
            <div key={key} className={classes.message} style={{ blockSize: size }} aria-busy>
              <div className={classes.gutter}>
                <span className={classes.anchor}>#{index}</span>
              </div>
              <Skeleton height={14} width="60%" />
            </div>
          );
        })}
      </div>
      {following || isEndInView(virtual) ? null : (
        <div className={classes.latest}>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconArrowDown size={14} aria-hidden />}
            onClick={follow}
          >
            {fresh > 0 ? `${plural(fresh, "new message")}: jump to the latest` : "Jump to the latest"}
          </Button>
        </div>
      )}
    </>
  );
}

/** In fractions of a pixel, because rows are in normal flow: rounding errors would add up to a shift. */
const exactHeight = (element: HTMLElement, entry: ResizeObserverEntry | undefined) =>
  entry?.borderBoxSize[0]?.blockSize ?? element.getBoundingClientRect().height;

const isEndInView = ({ range, options }: Virtualizer<HTMLElement, HTMLDivElement>) =>
  range === null || range.endIndex >= options.count - 1;
