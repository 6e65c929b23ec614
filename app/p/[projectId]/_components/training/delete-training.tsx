"use client";
import { List, Skeleton, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatBytes, formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dependent, Dependents } from "@/server/services/training/removal/schemas";
import { ConfirmDialog } from "../confirm/confirm-dialog";

type Subject = { kind: "job" | "checkpoint"; id: string; name: string };
type Props = { projectId: string; subject: Subject | null; onClose: () => void; onDeleted?: () => void };

const KINDS: Record<Dependent["kind"], string> = {
  deployment: "Deployment",
  export: "Export to",
  evaluation: "Evaluation of",
  certificate: "Certificate of",
  rollout: "Automatic deployment of",
  tuningConfig: "Tuning configuration",
  job: "Run",
};

/** Asks before a run or a checkpoint is deleted, and says first what depends on it. */
export function DeleteTraining({ projectId, subject, onClose, onDeleted }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const isJob = subject?.kind === "job";
  const ofJob = useQuery(
    trpc.trainingJobs.dependents.queryOptions({ projectId, jobId: subject?.id ?? "" }, { enabled: isJob, gcTime: 0 }),
  );
  const ofCheckpoint = useQuery(
    trpc.checkpoints.dependents.queryOptions(
      { projectId, checkpointId: subject?.id ?? "" },
      { enabled: subject !== null && !isJob, gcTime: 0 },
    ),
  );
  const { data, error, refetch, isFetching } = isJob ? ofJob : ofCheckpoint;
  const found = data?.dependents;
  const done = {
    onSuccess: () => {
      notifications.show({ message: `Deleted “${subject?.name}”` });
      onClose();
      onDeleted?.();
    },
    onSettled: () =>
      Promise.all(
        [trpc.trainingJobs, trpc.checkpoints, trpc.deployments, trpc.modelExports, trpc.evaluations].map((part) =>
          queries.invalidateQueries({ queryKey: part.pathKey(), refetchType: onDeleted ? "none" : "active" }),
        ),
      ),
  };
  const deleteJob = useMutation(trpc.trainingJobs.delete.mutationOptions(done));
  const deleteCheckpoint = useMutation(trpc.checkpoints.delete.mutationOptions(done));
  return (
    <ConfirmDialog
      subject={subject}
      onClose={onClose}
      title={({ name }) => `Delete “${name}”?`}
      says={({ kind }) =>
        found === undefined
          ? "Looking for what depends on it."
          : found.blockedReason === null
            ? goesWords(kind, found)
            : found.blockedReason
      }
      action={isJob ? "Delete run" : "Delete checkpoint"}
      keep="Keep it"
      ready={found?.blockedReason === null}
      running={isJob ? deleteJob : deleteCheckpoint}
      onConfirm={({ kind, id }) =>
        kind === "job"
          ? deleteJob.mutate({ projectId, jobId: id })
          : deleteCheckpoint.mutate({ projectId, checkpointId: id })
      }
    >
      {found ? (
        <Dependencies found={found} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Skeleton height={12} width="70%" role="status" aria-label="Looking for what depends on it" />
      )}
    </ConfirmDialog>
  );
}

function goesWords(kind: Subject["kind"], { checkpoints, bytes }: Dependents): string {
  const files = `${formatBytes(bytes)} on the trainer`;
  const what =
    kind === "checkpoint"
      ? `It is deleted with ${files}`
      : checkpoints === 0
        ? "It is deleted with its log and charts"
        : `It is deleted with its log, charts and ${plural(checkpoints, "checkpoint")}, ${files}`;
  return `${what}. This cannot be undone. What was published to a hub stays there.`;
}

const EFFECTS: Record<Dependent["effect"], string> = {
  blocks: "Needs it now",
  deleted: "Deleted with it",
  kept: "Stays, but can no longer show it",
};

/** What depends on it, by what happens to it. */
function Dependencies({ found: { items, count } }: { found: Dependents }) {
  return (
    <Stack gap="sm">
      {(["blocks", "deleted", "kept"] as const).map((effect) => {
        const these = items.filter((item) => item.effect === effect);
        if (these.length === 0) return null;
        return (
          <div key={effect}>
            <Text size="sm" fw={600} component="h3">
              {EFFECTS[effect]}
            </Text>
            <List size="sm" mah={160} style={{ overflowY: "auto" }}>
              {these.map(({ kind, id, name, status }) => (
                <List.Item key={`${kind} ${id}`}>
                  {KINDS[kind]} <span dir="auto">{name}</span>
                  {status === null ? "" : `, ${status.replaceAll("_", " ")}`}
                </List.Item>
              ))}
            </List>
          </div>
        );
      })}
      {count > items.length ? <Text size="sm">And {formatCount(count - items.length)} more.</Text> : null}
    </Stack>
  );
}
