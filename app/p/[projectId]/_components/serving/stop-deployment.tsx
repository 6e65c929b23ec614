"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { ConfirmDialog } from "../confirm/confirm-dialog";

type Props = { projectId: string; deployment: Deployment | null; onClose: () => void };

/** Asks before a deployment is stopped: its callers get errors from then on. */
export function StopDeployment({ projectId, deployment, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const stop = useMutation(
    trpc.deployments.stop.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Stopping “${deployment?.model}”` });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.deployments.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={deployment}
      onClose={onClose}
      title={({ model }) => `Stop “${model}”?`}
      says={({ status, model }) =>
        status === "running"
          ? `Calls in progress finish; later calls to “${model}” are refused. You can deploy it again.`
          : "It won’t be deployed. Whatever runs under this name keeps running."
      }
      action="Stop deployment"
      keep="Keep it"
      running={stop}
      onConfirm={({ id }) => stop.mutate({ projectId, deploymentId: id })}
    />
  );
}
