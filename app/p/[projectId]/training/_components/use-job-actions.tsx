import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import type { ListAction } from "@/app/_components/data-table/types";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { useMay } from "../../_components/access/membership";
import { compareHref, newTrainingHref } from "../../_components/training/hrefs";
import { canCancel, canPause, isUnfinished } from "../../_components/training/words";
import { COMPARED_MAX } from "./view";

/** Returns the actions on runs of the list: compare, pause, resume, clone, and cancel and delete, which are confirmed. */
export function useJobActions(
  projectId: string,
  { onCancel, onDelete }: { onCancel: (job: TrainingJob) => void; onDelete: (job: TrainingJob) => void },
): ListAction<TrainingJob>[] {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const may = useMay("models:manage");
  const onSettled = () => queries.invalidateQueries({ queryKey: trpc.trainingJobs.pathKey() });
  const pause = useMutation(trpc.trainingJobs.pause.mutationOptions({ onSettled }));
  const resume = useMutation(trpc.trainingJobs.resume.mutationOptions({ onSettled }));
  const compare: ListAction<TrainingJob> = {
    id: "compare",
    label: "Compare",
    key: "c",
    run: async ({ rows }) => {
      if (rows.length < 2 || rows.length > COMPARED_MAX) {
        notifications.show({ message: `Select two to ${COMPARED_MAX} runs to compare them.` });
        return null;
      }
      router.push(
        compareHref(
          projectId,
          rows.map(({ id }) => id),
        ),
      );
      return null;
    },
  };
  if (!may) return [compare];
  return [
    compare,
    {
      id: "pause",
      label: "Pause",
      key: "p",
      applies: canPause,
      run: async ({ rows }) => {
        await Promise.all(rows.map(({ id }) => pause.mutateAsync({ projectId, jobId: id })));
        return { said: `Pausing ${named(rows)}` };
      },
    },
    {
      id: "resume",
      label: "Resume",
      key: "r",
      applies: ({ canResume }) => canResume,
      run: async ({ rows }) => {
        await Promise.all(rows.map(({ id }) => resume.mutateAsync({ projectId, jobId: id })));
        return { said: `Resumed ${named(rows)}` };
      },
    },
    {
      id: "clone",
      label: "Clone…",
      single: true,
      run: async ({ rows: [row] }) => {
        if (row) router.push(newTrainingHref(projectId, { clone: row.id }));
        return null;
      },
    },
    {
      id: "cancel",
      label: "Cancel…",
      danger: true,
      single: true,
      applies: canCancel,
      run: async ({ rows: [row] }) => {
        if (row) onCancel(row);
        return null;
      },
    },
    {
      id: "delete",
      label: "Delete…",
      danger: true,
      single: true,
      applies: (job) => !isUnfinished(job),
      run: async ({ rows: [row] }) => {
        if (row) onDelete(row);
        return null;
      },
    },
  ];
}

const named = (rows: readonly TrainingJob[]) =>
  rows.length === 1 && rows[0] ? `“${rows[0].name}”` : plural(rows.length, "run");
