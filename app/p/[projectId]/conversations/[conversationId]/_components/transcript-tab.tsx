import { Code } from "@mantine/core";
import { IconMessageOff } from "@tabler/icons-react";
import { useState } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useMay } from "../../../_components/access/membership";
import { type AnswerToCorrect, CorrectAnswer } from "../../../_components/datasets/correct-answer";
import { playgroundHref } from "../../../_components/training/hrefs";
import { FeedbackList } from "./feedback/feedback-list";
import { useFeedback } from "./feedback/use-feedback";
import { Facts } from "./rail/facts";
import { FindingsRail } from "./rail/findings-rail";
import rail from "./rail/rail.module.css";
import { SpanMarks } from "./rail/span-marks";
import type { useOccurrences } from "./rail/use-occurrences";
import type { marksOf } from "./transcript/marks";
import { type ConversationData, Transcript } from "./transcript/transcript";
import classes from "./transcript-tab.module.css";

type Props = {
  projectId: string;
  conversation: ConversationData;
  found: ReturnType<typeof useOccurrences>;
  marks: ReturnType<typeof marksOf>;
  /** The message that another tab leads to. */
  wanted: { index: number } | null;
  onSpan: (spanId: string) => void;
};

/** The messages, with their Findings and the conversation's facts next to them. */
export function TranscriptTab({ projectId, conversation, found, marks, wanted, onSpan }: Props) {
  // State rather than a ref, so that children rerender when it is mounted.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const mayManage = useMay("models:manage");
  const [correcting, setCorrecting] = useState<AnswerToCorrect | null>(null);
  const feedback = useFeedback(projectId, conversation.id);
  const ofConversation = feedback.byMessage.get(null) ?? [];
  return (
    <div className={classes.columns} ref={setScroller}>
      <div className={classes.main}>
        {conversation.messageCount === 0 ? <NoMessages /> : null}
        <Transcript
          projectId={projectId}
          conversation={conversation}
          marks={marks.byMessage}
          feedback={feedback.byMessage}
          scroller={scroller}
          wanted={wanted}
          onSpan={onSpan}
          onCorrect={mayManage ? setCorrecting : undefined}
          replayHref={
            mayManage
              ? (index) => playgroundHref(projectId, { conversation: conversation.id, turn: String(index) })
              : undefined
          }
          mayFix={mayManage}
        />
        <CorrectAnswer
          projectId={projectId}
          conversationId={conversation.id}
          answer={correcting}
          onClose={() => setCorrecting(null)}
        />
      </div>
      <aside className={classes.rail} aria-label="Findings and facts">
        <section className={classes.first}>
          <h2 className={rail.title}>Findings</h2>
          {found.error ? (
            <p className={rail.quiet}>Findings could not be loaded.</p>
          ) : (
            <FindingsRail
              projectId={projectId}
              findings={found.findings}
              pairs={found.pairs}
              isPending={found.isPending}
            />
          )}
          <SpanMarks marks={marks.bySpan} onSpan={onSpan} />
        </section>
        {ofConversation.length > 0 ? (
          <section className={classes.first}>
            <h2 className={rail.title}>Feedback on the conversation</h2>
            <FeedbackList feedback={ofConversation} />
          </section>
        ) : null}
        <section className={classes.last}>
          <h2 className={rail.title}>Facts</h2>
          <Facts projectId={projectId} conversation={conversation} feedback={feedback} />
        </section>
      </aside>
    </div>
  );
}

const NoMessages = () => (
  <EmptyState icon={IconMessageOff} title="No messages">
    Its spans have no prompts and answers. Many instrumentations leave them out unless a setting lets them in, such as{" "}
    <Code>OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true</Code>.
  </EmptyState>
);
