"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { formatExact } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Deployment } from "@/server/services/serving/deployments/schemas";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { deploymentHref } from "../../../_components/training/hrefs";
import { servedWords } from "../../_components/columns";
import { useCheckpointNames } from "../../_components/use-checkpoint-names";

type Props = {
  projectId: string;
  deployment: Deployment | null;
  previous: Deployment | undefined;
  onClose: () => void;
};

/** Asks before the previous version under a name is deployed again; the current one keeps running until that one answers. */
export function RollBack({ projectId, deployment, previous, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const checkpointName = useCheckpointNames(projectId);
  const rollBack = useMutation(
    trpc.deployments.rollBack.mutationOptions({
      onSuccess: ({ deployment: next }) => {
        const said = next.status === "running" ? "Rolled back" : "Could not roll back";
        notifications.show({
          message: `${said} “${next.model}”`,
          ...(next.status === "running" ? {} : { color: "red" }),
        });
        // This also leaves the dialog: closing it first would change the URL and cancel this navigation.
        router.push(deploymentHref(projectId, next.id));
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.deployments.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={deployment}
      onClose={onClose}
      title={({ model }) => `Roll back “${model}”?`}
      says={() =>
        previous === undefined
          ? "Deploys the previous version under this name."
          : `Deploys the previous version: ${servedWords(previous, checkpointName)}, last started ${formatExact(previous.startedAt)}. The current version keeps answering until the previous one is running; you can roll forward the same way.`
      }
      action="Roll back"
      keep="Keep this version"
      running={rollBack}
      onConfirm={({ id }) => rollBack.mutate({ projectId, deploymentId: id })}
    />
  );
}
