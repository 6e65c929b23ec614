import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconStethoscope } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { ACTION_TOAST_MS } from "@/app/_components/feedback/toast";
import { plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ConversationData } from "../transcript/transcript";

type Props = { projectId: string; conversation: ConversationData };

/** Queues Rule Runs for the conversation in its current state. */
export function DiagnoseButton({ projectId, conversation }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const diagnose = useMutation(
    trpc.ruleRuns.create.mutationOptions({
      onSuccess: ({ runs }) => {
        void queries.invalidateQueries({ queryKey: trpc.ruleRuns.pathKey() });
        notifications.show({
          autoClose: ACTION_TOAST_MS,
          title: plural(runs.length, "Rule Run"),
          message: (
            <Link href={`/p/${projectId}/rule-runs?conversation=${encodeURIComponent(conversation.id)}`}>
              View runs
            </Link>
          ),
        });
      },
      onError: (error) =>
        notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
    }),
  );
  return (
    <Button
      variant="default"
      leftSection={<IconStethoscope size={14} aria-hidden />}
      loading={diagnose.isPending}
      onClick={() =>
        diagnose.mutate({
          projectId,
          conversationId: conversation.id,
          lastActivityAt: conversation.lastActivityAt,
        })
      }
    >
      Diagnose now
    </Button>
  );
}
