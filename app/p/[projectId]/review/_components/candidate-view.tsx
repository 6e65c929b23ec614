import Link from "next/link";
import { useEffect, useRef } from "react";
import { Ago } from "@/app/_components/values/ago";
import { InlineCode } from "@/app/_components/values/inline-code";
import { quoted } from "@/app/_lib/format";
import type { Candidate } from "@/server/services/datasets/review/schemas";
import { useDatasets } from "../../_components/datasets/use-datasets";
import { textOfAnswer } from "./answer-of";
import { Answers } from "./answers";
import { Context } from "./context";
import classes from "./review.module.css";

type Props = {
  projectId: string;
  candidate: Candidate;
  /** The reviewer has claimed it, so it can be decided. */
  ready: boolean;
};

/** A candidate with what a reviewer needs to decide: the conversation, the reason, and both answers. */
export function CandidateView({ projectId, candidate, ready }: Props) {
  const { payload, reason, source } = candidate;
  const dataset = useDatasets(projectId).data?.find(({ id }) => id === candidate.datasetId);
  const top = useRef<HTMLElement>(null);
  const current = payload.rejectedOutput ? textOfAnswer(payload.rejectedOutput.message) : null;
  // Each candidate starts at the top, where a screen reader starts reading. Its keys work once it has the focus.
  useEffect(() => {
    if (!ready) return;
    top.current?.focus({ preventScroll: true });
    top.current?.scrollTo?.(0, 0);
  }, [ready]);
  return (
    <section
      ref={top}
      tabIndex={-1}
      className={classes.candidate}
      aria-label={`Candidate: ${reason}`}
      aria-busy={!ready}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.pane} tabIndex={0} aria-label="Conversation">
        <h2 className={classes.heading}>Conversation</h2>
        <Context messages={payload.input.messages} />
      </section>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.pane} tabIndex={0} aria-label="Answers">
        <h2 className={classes.heading}>{OBJECTIVE_NAMES[candidate.objective]}</h2>
        <p className={classes.reason}>
          <InlineCode text={reason} />
        </p>
        <p className={classes.facts}>
          <span>For {dataset ? quoted(dataset.name) : candidate.datasetId}</span>
          <Link href={`/p/${projectId}/conversations/${encodeURIComponent(source.conversationId)}#m-${source.turn}`}>
            Message {source.turn} of its conversation
          </Link>
          {source.findingId === null ? null : (
            <Link href={`/p/${projectId}/findings/${encodeURIComponent(source.findingId)}`}>Its Finding</Link>
          )}
          {candidate.proposedByModel ? <b>Proposed by a model</b> : null}
          <span>
            Found <Ago at={candidate.createdAt} />
          </span>
        </p>
        <Answers
          current={current}
          proposed={textOfAnswer(payload.expectedOutput.message)}
          origin={ORIGINS[candidate.reasonCode] ?? "Exactly as in the conversation"}
        />
      </section>
    </section>
  );
}

/** Where the proposed answer comes from, if it is not the assistant's. */
const ORIGINS: Record<string, string> = {
  proposed_by_model: "A model proposed it",
  corrected_by_feedback: "A person wrote it as a correction",
};

const OBJECTIVE_NAMES: Record<Candidate["objective"], string> = {
  preserve_successful_behavior: "Preserve successful behavior",
  correct_failed_conversations: "Correct failed conversations",
  learn_from_user_corrections: "Learn from user corrections",
  teach_project_knowledge: "Teach project knowledge",
};
