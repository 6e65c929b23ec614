"use client";
import { Radio, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { ConfirmDialog } from "../confirm/confirm-dialog";

const MODES = {
  save: {
    label: "Save a checkpoint first",
    about: "What it has learned so far is kept, and the run can be resumed from it.",
  },
  discard: {
    label: "Stop immediately",
    about: "Steps since the last checkpoint are lost. Earlier checkpoints remain.",
  },
} as const;
type Mode = keyof typeof MODES;

type Props = { projectId: string; job: TrainingJob | null; onClose: () => void };

/** Asks before a training is cancelled, and whether to keep what it has learned. */
export function CancelJob({ projectId, job, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [mode, setMode] = useState<Mode>("save");
  const cancel = useMutation(
    trpc.trainingJobs.cancel.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Cancelling “${job?.name}”` });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.trainingJobs.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={job}
      onClose={onClose}
      title={({ name }) => `Cancel “${name}”?`}
      says={({ progress }) =>
        progress === null
          ? "Training has not started, so nothing is lost."
          : `It is on step ${formatCount(progress.step)}${progress.totalSteps === null ? "" : ` of ${formatCount(progress.totalSteps)}`}. To continue it later, pause it instead.`
      }
      action="Cancel training"
      keep="Keep training"
      running={cancel}
      onConfirm={({ id }) => cancel.mutate({ projectId, jobId: id, mode })}
    >
      {job?.progress == null ? null : (
        <Radio.Group label="Before it stops" value={mode} onChange={(value) => setMode(value as Mode)}>
          <Stack gap="xs" mt="xs">
            {(Object.keys(MODES) as Mode[]).map((value) => (
              <Radio key={value} value={value} label={MODES[value].label} description={MODES[value].about} />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </ConfirmDialog>
  );
}
