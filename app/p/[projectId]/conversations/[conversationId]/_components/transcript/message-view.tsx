import { Button, CloseButton } from "@mantine/core";
import { IconPencil, IconRefresh } from "@tabler/icons-react";
import Link from "next/link";
import { useState } from "react";
import { InlineCode } from "@/app/_components/values/inline-code";
import { JsonView } from "@/app/_components/values/json-view";
import { formatDuration, formatExact } from "@/app/_lib/format";
import { prettyText } from "@/app/_lib/pretty-text";
import { speakerOf } from "@/app/_lib/speaker";
import type { AnswerToCorrect } from "@/app/p/[projectId]/_components/datasets/correct-answer";
import { Severity } from "@/app/p/[projectId]/_components/findings/severity";
import { TryFix } from "@/app/p/[projectId]/_components/variants/try-fix";
import type { Message, ToolCall } from "@/server/services/telemetry/schemas";
import { FeedbackList } from "../feedback/feedback-list";
import type { FeedbackData } from "../feedback/feedback-words";
import { locate, type Mark } from "./marks";
import { MessagePartView } from "./message-part";
import { ToolCallView } from "./tool-call-view";
import classes from "./transcript.module.css";
import { TurnLinks } from "./turn-links";

export type MessageContext = {
  projectId: string;
  startedAt: number;
  /** Names and spans of tool calls by id. */
  nameOfCall: ReadonlyMap<string, string>;
  spanOfCall: ReadonlyMap<string, ToolCall>;
  /** Ids of calls whose result is in a message. */
  answered: ReadonlySet<string>;
};

type Props = {
  message: Message;
  index: number;
  marks: readonly Mark[];
  context: MessageContext;
  feedback?: readonly FeedbackData[] | undefined;
  inPeek?: boolean;
  /** The URL's hash points here. (A message rendered after navigation does not match `:target`.) */
  targeted?: boolean;
  onSpan?: ((spanId: string) => void) | undefined;
  onCorrect?: ((answer: AnswerToCorrect) => void) | undefined;
  /** Returns the URL for replaying the messages before an answer; for readers who may. */
  replayHref?: ((index: number) => string) | undefined;
  /** The conversation whose answers the reader may try to fix. */
  fixable?: string | undefined;
};

/** Known from the answer itself; the service says the same. */
const CALLS_TOOLS = "This answer calls tools, so it cannot be given again.";

export function MessageView({
  message,
  index,
  marks,
  context,
  feedback = [],
  inPeek = false,
  targeted = false,
  onSpan,
  onCorrect,
  replayHref,
  fixable,
}: Props) {
  const [raw, setRaw] = useState(false);
  const isTool = message.role === "tool" || message.role === "function";
  const speaker = speakerOf(message);
  const toolName = message.toolCallId === null ? undefined : context.nameOfCall.get(message.toolCallId);
  const failed = message.toolCallId !== null && context.spanOfCall.get(message.toolCallId)?.error != null;

  const occurrences = [...new Map(marks.map((mark) => [mark.occurrence.id, mark])).values()];
  return (
    <article
      id={inPeek ? undefined : `m-${index}`}
      className={classes.message}
      data-role={isTool ? "tool" : message.agent === null ? message.role : "agent"}
      data-marked={marks.length > 0 || undefined}
      data-targeted={targeted || undefined}
      aria-label={`${speaker}${message.agent === null ? "" : ", sub-agent"}, message ${index}`}
    >
      <div className={classes.gutter}>
        <span className={classes.role} title={message.agent ?? undefined}>
          {speaker}
        </span>
        {message.agent === null ? null : (
          <span className={classes.meta} title={`A call of the sub-agent ${message.agent} was the first to contain it`}>
            sub-agent
          </span>
        )}
        {inPeek ? null : (
          <a className={classes.anchor} href={`#m-${index}`} aria-label={`Link to message ${index}`}>
            #{index}
          </a>
        )}
        {message.at !== null && !inPeek ? (
          <span className={`${classes.meta} tabular`} title={formatExact(message.at)} suppressHydrationWarning>
            +{formatDuration(Math.max(0, message.at - context.startedAt))}
          </span>
        ) : null}
      </div>
      {inPeek ? null : (
        <TurnLinks index={index} spanId={message.spanId} onSpan={onSpan} raw={raw} onRaw={() => setRaw(!raw)} />
      )}
      <div className={classes.content}>
        {isTool ? (
          <div className={classes.label}>
            Result of <span className="mono">{toolName ?? message.toolCallId ?? "an unnamed call"}</span>
            {failed ? <span className={classes.failed}> Failed</span> : null}
          </div>
        ) : null}
        <MessageParts message={message} marks={marks} mono={isTool} />
        {message.parts.length === 0 && message.toolCalls.length === 0 ? (
          <div className={classes.meta}>Empty message</div>
        ) : null}
        {message.toolCalls.map((call, position) => (
          <ToolCallView
            key={call.id ?? position}
            call={call}
            span={call.id === null ? undefined : context.spanOfCall.get(call.id)}
            hasResultMessage={call.id !== null && context.answered.has(call.id)}
          />
        ))}
        <div className={classes.acts}>
          {onCorrect && message.role === "assistant" ? (
            <CorrectButton message={message} index={index} onCorrect={onCorrect} />
          ) : null}
          {replayHref && message.role === "assistant" ? (
            <Button
              component={Link}
              className={classes.correct}
              variant="subtle"
              size="compact-xs"
              leftSection={<IconRefresh size={12} aria-hidden />}
              aria-label={`Replay message ${index} on a model`}
              href={replayHref(index)}
            >
              Replay on a model
            </Button>
          ) : null}
          {fixable !== undefined && message.role === "assistant" ? (
            <TryFix
              projectId={context.projectId}
              conversationId={fixable}
              messageIndex={index}
              why={message.toolCalls.length > 0 ? CALLS_TOOLS : null}
            />
          ) : null}
        </div>
        {raw ? (
          <div>
            <div className={classes.rawHead}>
              <span className={classes.label}>Raw JSON</span>
              <CloseButton size="sm" aria-label="Close raw JSON" onClick={() => setRaw(false)} />
            </div>
            <JsonView value={message} label={`message ${index} as JSON`} />
          </div>
        ) : null}
        <FeedbackList feedback={feedback} />
        {occurrences.map(({ finding, occurrence }) => (
          <Link
            key={occurrence.id}
            className={classes.finding}
            href={`/p/${context.projectId}/findings/${encodeURIComponent(finding.id)}`}
          >
            <Severity value={occurrence.severity} />
            <span>
              <InlineCode text={occurrence.title} />
            </span>
          </Link>
        ))}
      </div>
    </article>
  );
}

type CorrectProps = { message: Message; index: number; onCorrect: (answer: AnswerToCorrect) => void };

/** Opens the correction of an answer; one without text has only tool calls. */
function CorrectButton({ message, index, onCorrect }: CorrectProps) {
  const text = message.parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  if (text.trim() === "") return null;
  return (
    <Button
      className={classes.correct}
      variant="subtle"
      size="compact-xs"
      leftSection={<IconPencil size={12} aria-hidden />}
      aria-label={`Correct message ${index}`}
      onClick={() => onCorrect({ turn: index, text })}
    >
      Correct this answer
    </Button>
  );
}

type PartsProps = { message: Message; marks: readonly Mark[]; mono: boolean };

/** A message's parts, each with its evidence. Positions count in the joined text of all parts. */
function MessageParts({ message, marks, mono }: PartsProps) {
  const joined = message.parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
  const ranges = marks.map((mark) => locate(joined, mark)).filter((range) => range !== null);
  let offset = 0;
  return message.parts.map((part, position) => {
    const text = part.text ?? "";
    const from = offset;
    if (part.type === "text") offset += text.length;
    const own =
      part.type === "text"
        ? ranges.map(([start, end]) => [start - from, end - from] as const)
        : marks.map((mark) => (locate(joined, mark) ? null : locate(text, mark))).filter((range) => range !== null);
    // Structured results are pretty-printed, unless a quote needs the text as sent.
    const pretty = mono && part.type === "text" && own.every(([start, end]) => end <= 0 || start >= text.length);
    return (
      <MessagePartView
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a message keep their order
        key={position}
        part={pretty ? { ...part, text: prettyText(text) } : part}
        ranges={own}
        mono={mono}
      />
    );
  });
}
