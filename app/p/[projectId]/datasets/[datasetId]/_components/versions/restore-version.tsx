"use client";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import type { DatasetVersion } from "@/server/services/datasets/versions/schemas";
import { ConfirmDialog } from "../../../../_components/confirm/confirm-dialog";
import { useRefresh } from "../../../_components/use-refresh";

type Props = { projectId: string; dataset: Dataset; version: DatasetVersion | null; onClose: () => void };

/** Asks before a version is restored, and explains what that does. */
export function RestoreVersion({ projectId, dataset, version, onClose }: Props) {
  const trpc = useTRPC();
  const refresh = useRefresh();
  const restore = useMutation(
    trpc.datasetVersions.restore.mutationOptions({
      onSuccess: (_, { version: number }) => {
        notifications.show({ message: `Restored version ${number}` });
        onClose();
      },
      onSettled: refresh,
    }),
  );
  return (
    <ConfirmDialog
      subject={version}
      onClose={onClose}
      title={({ number }) => `Restore version ${number}?`}
      says={({ number, exampleCount }) =>
        `Restores ${plural(exampleCount, "Example")} from version ${number} as a new version. The current state, ${plural(dataset.exampleCount, "Example")}, stays in version ${dataset.version}.`
      }
      action="Restore"
      danger={false}
      running={restore}
      onConfirm={({ number }) => restore.mutate({ projectId, datasetId: dataset.id, version: number })}
    />
  );
}
