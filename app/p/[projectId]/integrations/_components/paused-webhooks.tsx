"use client";
import { Alert, Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPlayerPause } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Ago } from "@/app/_components/values/ago";
import { plural, quoted } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { PausedWebhook } from "@/server/services/notifications/schemas";
import { useMay } from "../../_components/access/membership";

/** The webhooks that get no notifications, because they accepted none for a day, each with what resumes it. */
export function PausedWebhooks({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.webhooks.listPaused.queryOptions({ projectId }));
  return data?.pausedWebhooks.map((webhook) => (
    <Paused key={webhook.connectionId} projectId={projectId} webhook={webhook} />
  ));
}

/** Returns what it missed, as the end of a sentence; empty if that has been deleted meanwhile. */
function missedBy({ failed, waiting }: PausedWebhook): string {
  const missed = [
    ...(failed > 0 ? [`${plural(failed, "message")} failed`] : []),
    ...(waiting > 0 ? [`${plural(waiting, "notice")} ${waiting === 1 ? "waits" : "wait"}`] : []),
  ];
  return missed.length === 0 ? "" : `: ${missed.join(", ")}`;
}

function Paused({ projectId, webhook }: { projectId: string; webhook: PausedWebhook }) {
  const { connectionId, connectionName, pausedAt } = webhook;
  const trpc = useTRPC();
  const queries = useQueryClient();
  const mayResume = useMay("diagnostics:write");
  const resume = useMutation(
    trpc.webhooks.resume.mutationOptions({
      onSuccess: ({ resumed }) =>
        notifications.show({
          message: `Resumed ${quoted(connectionName)}, ${plural(resumed.queued, "message")} sent again`,
        }),
      onError: (error) => notifications.show({ message: problemOf(error).detail, color: "red" }),
      onSettled: () => {
        void queries.invalidateQueries({ queryKey: trpc.deliveries.pathKey() });
        return queries.invalidateQueries({ queryKey: trpc.webhooks.pathKey() });
      },
    }),
  );
  return (
    <Alert color="yellow" m="md" mb="xs" maw={640} p="sm" icon={<IconPlayerPause size={18} aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: "1 1 240px", overflowWrap: "anywhere" }}>
          {quoted(connectionName)} accepted nothing for a day, so nothing has been sent to it since{" "}
          <Ago at={pausedAt} />
          {missedBy(webhook)}.
        </Text>
        {mayResume ? (
          <Button
            variant="default"
            size="compact-sm"
            loading={resume.isPending}
            onClick={() => resume.mutate({ projectId, connectionId })}
          >
            Resume
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
