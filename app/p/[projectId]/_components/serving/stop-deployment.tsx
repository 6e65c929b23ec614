"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Deployment } from "@/server/services/fine-tuning/deployments/schemas";
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
          ? `Calls that are being answered are finished; later calls of “${model}” are refused. It can be deployed again.`
          : "It is not deployed. What runs under this name now goes on."
      }
      action="Stop deployment"
      keep="Keep it"
      running={stop}
      onConfirm={({ id }) => stop.mutate({ projectId, deploymentId: id })}
    />
  );
}
