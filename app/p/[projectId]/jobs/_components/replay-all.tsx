"use client";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";

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
        notifications.show({ message: more ? `${said} Others are left: replay once more.` : said });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.backgroundJobs.pathKey() }),
    }),
  );
  const close = () => {
    replay.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={close} title="Replay all failed jobs?">
      <Stack gap="md">
        <Text size="sm">
          {only ? (
            <>
              Every failed job of <strong>{only.name}</strong> is queued again
            </>
          ) : (
            `The failed jobs of this project, ${failed} by now, are queued again`
          )}
          , the oldest first, up to 1,000 at once. Steps that had completed keep what they gave, the others run anew.
          What is not mended fails again.
        </Text>
        {replay.error ? (
          <Alert role="alert" color="red" p="xs" title={problemOf(replay.error).title}>
            {problemOf(replay.error).detail}
          </Alert>
        ) : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Not now
          </Button>
          <Button
            loading={replay.isPending}
            onClick={() => replay.mutate({ projectId, ...(only ? { functionId: only.id } : {}) })}
          >
            Replay all
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
