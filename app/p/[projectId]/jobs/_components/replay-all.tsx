"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = {
  projectId: string;
  opened: boolean;
  onClose: () => void;
  /** Restricts it to this function. */
  only: { id: string; name: string } | null;
  /** The project's count, as text. */
  failed: string;
};

/** Many jobs may start at once, so it asks for confirmation first. */
export function ReplayAll({ projectId, opened, onClose, only, failed }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const replay = useMutation(
    trpc.backgroundJobs.replayFailed.mutationOptions({
      onSuccess: ({ replayed, more }) => {
        const said = replayed === 0 ? "No failed job was left to replay." : `${plural(replayed, "job")} queued again.`;
        notifications.show({ message: more ? `${said} There are more: replay again.` : said });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.backgroundJobs.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={opened ? { only, failed } : null}
      onClose={onClose}
      title={() => "Replay all failed jobs?"}
      says={() => (
        <>
          {only ? (
            <>
              Every failed job of <strong>{only.name}</strong> is queued again
            </>
          ) : (
            `The failed jobs of this project (currently ${failed}) are queued again`
          )}
          , oldest first, up to 1,000 at a time. Completed steps keep their results; the others run again. Jobs whose
          cause is not fixed fail again.
        </>
      )}
      action="Replay all"
      keep="Not now"
      danger={false}
      running={replay}
      onConfirm={() => replay.mutate({ projectId, ...(only ? { functionId: only.id } : {}) })}
    />
  );
}
