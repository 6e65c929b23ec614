"use client";
import { NativeSelect, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { ConfirmDialog } from "../confirm/confirm-dialog";
import { isUsable } from "../training/is-usable";
import { evaluationHref } from "./hrefs";

/** What to compare: a checkpoint, one of a run's checkpoints, or one that should have fixed a Finding. */
export type EvaluationSubject = { checkpointId: string } | { jobId: string } | { findingId: string };

const LISTED = 200;
const nameOf = ({ jobName, stepNumber, isBest, isFinal }: Checkpoint) =>
  `${jobName}, step ${formatCount(stepNumber)}${isBest ? ", best" : isFinal ? ", final" : ""}`;

type Props = { projectId: string; subject: EvaluationSubject | null; onClose: () => void };

/** Asks which checkpoint to compare with what, and starts the comparison. */
export function StartEvaluation({ projectId, subject, onClose }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState("");
  const [baseline, setBaseline] = useState("");
  const list = useQuery(
    trpc.checkpoints.list.queryOptions({ projectId, limit: LISTED }, { enabled: subject !== null }),
  );
  const stored = (list.data?.checkpoints ?? []).filter(isUsable);
  const eligible =
    subject !== null && "jobId" in subject ? stored.filter(({ jobId }) => jobId === subject.jobId) : stored;
  const fixed = subject !== null && "checkpointId" in subject ? subject.checkpointId : null;
  // The best one first: it is the one to deploy.
  const suggested = eligible.find(({ isBest }) => isBest) ?? eligible[0];
  const checkpointId = fixed ?? (chosen === "" ? suggested?.id : chosen);
  const ofFinding = subject !== null && "findingId" in subject;
  const start = useMutation(
    trpc.evaluations.create.mutationOptions({
      onSuccess: ({ evaluation }) => {
        notifications.show({ message: ofFinding ? "Started the proof" : "Started the comparison" });
        onClose();
        router.push(evaluationHref(projectId, evaluation.id));
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.evaluations.pathKey() }),
    }),
  );
  const confirm = (subject: EvaluationSubject) => {
    if (checkpointId === undefined) return;
    const what =
      "findingId" in subject
        ? { kind: "finding" as const, findingId: subject.findingId }
        : { kind: "examples" as const };
    start.mutate({ projectId, checkpointId, ...what, ...(baseline === "" ? {} : { baselineCheckpointId: baseline }) });
  };
  return (
    <ConfirmDialog
      subject={subject}
      onClose={onClose}
      title={(subject) => ("findingId" in subject ? "Prove a fix" : "Compare before and after")}
      says={(subject) =>
        "findingId" in subject
          ? "Both models replay conversations with this Finding up to the faulty answer, and the Finding’s Rule checks both answers. Conversations that a model was trained on are left out."
          : "Both models answer the Examples held out from training, and each answer is compared with the expected one."
      }
      action={ofFinding ? "Start the proof" : "Start the comparison"}
      danger={false}
      ready={checkpointId !== undefined}
      running={start}
      onConfirm={confirm}
    >
      <Refused error={list.error} />
      {fixed !== null ? null : list.data !== undefined && eligible.length === 0 ? (
        <Text size="sm">There is no checkpoint with files. Train a model first.</Text>
      ) : (
        <NativeSelect
          size="sm"
          label="Checkpoint"
          value={checkpointId ?? ""}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={eligible.map((one) => ({ value: one.id, label: nameOf(one) }))}
        />
      )}
      <NativeSelect
        size="sm"
        label="Compare with"
        value={baseline === checkpointId ? "" : baseline}
        onChange={(event) => setBaseline(event.currentTarget.value)}
        data={[
          { value: "", label: "The model it was trained from" },
          ...stored.filter(({ id }) => id !== checkpointId).map((one) => ({ value: one.id, label: nameOf(one) })),
        ]}
      />
    </ConfirmDialog>
  );
}
