"use client";
import { NativeSelect } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { isUsable } from "../../../_components/training/is-usable";

type Props = {
  projectId: string;
  job: TrainingJob | null;
  checkpoints: readonly Checkpoint[];
  onClose: () => void;
};

/** Asks from which checkpoint to resume a run. */
export function ResumeJob({ projectId, job, checkpoints, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [from, setFrom] = useState("");
  const resumable = checkpoints
    .filter((checkpoint) => checkpoint.resumable && isUsable(checkpoint))
    .toSorted((a, b) => b.stepNumber - a.stepNumber);
  const resume = useMutation(
    trpc.trainingJobs.resume.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Resumed “${job?.name}”` });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.trainingJobs.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={job}
      onClose={onClose}
      title={({ name }) => `Resume “${name}”?`}
      says={() => "It continues as if it had never stopped: same Examples, same order, same settings."}
      action="Resume training"
      keep="Not now"
      danger={false}
      running={resume}
      onConfirm={({ id }) => resume.mutate({ projectId, jobId: id, ...(from === "" ? {} : { checkpointId: from }) })}
    >
      <NativeSelect
        size="sm"
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        data={[
          { value: "", label: "Latest complete checkpoint" },
          ...resumable.map(({ id, stepNumber, isBest }) => ({
            value: id,
            label: `Step ${formatCount(stepNumber)}${isBest ? ", the best so far" : ""}`,
          })),
        ]}
      />
    </ConfirmDialog>
  );
}
