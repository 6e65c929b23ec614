"use client";
import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useKeys } from "@/app/_lib/use-keys";
import type { Candidate } from "@/server/services/datasets/review/schemas";
import { AnswerDialog, type AnswerTask } from "./answer-dialog";
import { CandidateView } from "./candidate-view";
import { Counts } from "./counts";
import { DatasetSelect } from "./dataset-select";
import { DecisionBar } from "./decision-bar";
import { DECISIONS, type DecisionId } from "./decisions";
import { NothingToReview } from "./nothing-to-review";
import { RejectDialog } from "./reject-dialog";
import classes from "./review.module.css";
import { type Decision, useReview } from "./use-review";
import { viewParsers } from "./view";

/** The queue of collected Examples to review, one at a time, by keyboard. */
export function Review({ projectId }: { projectId: string }) {
  const [{ dataset }, setView] = useQueryStates(viewParsers, { history: "replace" });
  return (
    <Queue
      // Each Dataset has its own queue.
      key={dataset}
      projectId={projectId}
      datasetId={dataset}
      onDataset={(id) => void setView({ dataset: id })}
    />
  );
}

const SAID: Record<Decision["kind"], string> = { approve: "Approved.", reject: "Rejected.", skip: "Skipped." };

type Props = { projectId: string; datasetId: string | null; onDataset: (id: string | null) => void };

function Queue({ projectId, datasetId, onDataset }: Props) {
  const review = useReview(projectId, datasetId);
  const { candidate, shown } = review;
  const [dialog, setDialog] = useState<{ kind: AnswerTask["kind"] | "reject"; of: Candidate } | null>(null);
  const [said, setSaid] = useState("");
  // A dialog is about one candidate: it closes if another reviewer has taken it.
  const opened = dialog?.of === candidate ? dialog : null;
  const open = (kind: AnswerTask["kind"] | "reject") => candidate && setDialog({ kind, of: candidate });
  const close = () => setDialog(null);
  const decide = (decision: Decision) => {
    review.decide(decision);
    setSaid(SAID[decision.kind]);
    close();
  };
  const act: Record<DecisionId, () => void> = {
    approve: () => decide({ kind: "approve" }),
    edit: () => open("edit"),
    reject: () => open("reject"),
    pair: () => open("pair"),
    skip: () => decide({ kind: "skip" }),
  };
  const { undo } = review;
  const onUndo =
    undo &&
    (() => {
      undo();
      setSaid("Undone.");
    });
  useKeys({
    ...Object.fromEntries(
      DECISIONS.map(({ id, key }) => [
        key,
        (event: KeyboardEvent) => {
          // The key must not be typed into the dialog that it opens.
          event.preventDefault();
          if (candidate !== null) act[id]();
        },
      ]),
    ),
    u: () => onUndo?.(),
  });
  return (
    <div className={classes.page}>
      <PageHeader title="Review" aside={<Counts counter={review.counter} />}>
        <DatasetSelect projectId={projectId} value={datasetId} onChange={onDataset} />
      </PageHeader>
      <VisuallyHidden role="status">
        {said} {candidate ? `Next: ${candidate.reason}` : review.empty ? "No candidate is waiting." : ""}
      </VisuallyHidden>
      {shown ? (
        <CandidateView key={shown.id} projectId={projectId} candidate={shown} ready={shown === candidate} />
      ) : review.error ? (
        <ErrorState error={review.error} onRetry={review.retry} />
      ) : review.empty ? (
        <NothingToReview
          projectId={projectId}
          datasetId={datasetId}
          done={review.counter?.doneToday ?? 0}
          onAll={() => onDataset(null)}
        />
      ) : (
        <Stack className={classes.loading} gap="lg" role="status" aria-label="Loading the next candidate">
          {[30, 90, 70, 80, 60].map((width) => (
            <Skeleton key={width} height={14} width={`${width}%`} />
          ))}
        </Stack>
      )}
      <DecisionBar ready={candidate !== null} onDecide={(id) => act[id]()} onUndo={onUndo} />
      <RejectDialog
        opened={opened?.kind === "reject"}
        onClose={close}
        onReject={(reason) => decide({ kind: "reject", reason })}
      />
      <AnswerDialog
        task={opened === null || opened.kind === "reject" ? null : { kind: opened.kind, payload: opened.of.payload }}
        onClose={close}
        onApprove={(payload) => decide({ kind: "approve", payload })}
      />
    </div>
  );
}
