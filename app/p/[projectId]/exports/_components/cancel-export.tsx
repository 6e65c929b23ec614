"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ModelExport } from "@/server/services/model-exports/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { projectId: string; of: ModelExport | null; onClose: () => void };

/** Asks before an export is cancelled. */
export function CancelExport({ projectId, of, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const cancel = useMutation(
    trpc.modelExports.cancel.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Cancelling the export to “${of?.destination.repoId}”` });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.modelExports.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={of}
      onClose={onClose}
      title={({ destination }) => `Cancel the export to “${destination.repoId}”?`}
      says={() => "Nothing is published: all files are committed together at the end. You can export it again."}
      action="Cancel export"
      keep="Keep running"
      running={cancel}
      onConfirm={({ id }) => cancel.mutate({ projectId, exportId: id })}
    />
  );
}
