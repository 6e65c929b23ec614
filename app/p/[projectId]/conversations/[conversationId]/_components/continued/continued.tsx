"use client";
import { Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconGitMerge } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { Refused } from "@/app/_components/feedback/refused";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../../../_components/access/membership";
import classes from "./continued.module.css";
import { idLine } from "./id-line";

type Props = { projectId: string; conversationId: string };
type Continues = RouterOutputs["conversations"]["findContinued"];

const READ_AGAIN_MS = [1_500, 5_000];

/** Says which conversation this one continues, offers to join them, and how the application does so by itself. */
export function Continued({ projectId, conversationId }: Props) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.conversations.findContinued.queryOptions({ projectId, conversationId }));
  const [joining, setJoining] = useState(false);
  const may = useMay("diagnostics:write");
  if (!data?.continued) return null;
  const { continued } = data;
  const href = `/p/${projectId}/conversations/${continued.conversationId}`;
  return (
    <section className={classes.bar} aria-label="Continues another conversation">
      <Text size="sm" className={classes.words}>
        Begins with the {plural(continued.messages, "message")} of{" "}
        <Link href={href}>{continued.preview ?? "an earlier conversation"}</Link>
        <span>
          , <Ago at={continued.startedAt} />
        </span>
      </Text>
      {may ? (
        <Button
          variant="default"
          size="compact-sm"
          style={{ flex: "none" }}
          leftSection={<IconGitMerge size={14} aria-hidden />}
          onClick={() => setJoining(true)}
        >
          Join…
        </Button>
      ) : null}
      <JoinDialog
        projectId={projectId}
        conversationId={conversationId}
        continues={{ ...data, continued }}
        opened={joining}
        onClose={() => setJoining(false)}
      />
    </section>
  );
}

type DialogProps = Props & {
  continues: Continues & { continued: NonNullable<Continues["continued"]> };
  opened: boolean;
  onClose: () => void;
};

function JoinDialog({ projectId, conversationId, continues, opened, onClose }: DialogProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const { continued, instrumentation } = continues;
  const line = idLine(instrumentation);
  const join = useMutation(
    trpc.conversations.join.mutationOptions({
      onSuccess: ({ conversationId: joined }) => {
        const refresh = () => {
          for (const each of [trpc.conversations, trpc.findings])
            void queries.invalidateQueries({ queryKey: each.pathKey() });
        };
        refresh();
        // It is read again in the background.
        for (const ms of READ_AGAIN_MS) setTimeout(refresh, ms);
        notifications.show({ message: "Joined. It is read again within seconds." });
        // Replaces the URL: "back" must not lead to a conversation that no longer exists.
        router.replace(`/p/${projectId}/conversations/${joined}`);
      },
    }),
  );
  return (
    <Modal opened={opened} onClose={onClose} title="Join the two conversations?" size="lg">
      <Stack gap="md">
        <Refused error={join.error} />
        <Text size="sm">
          The messages, calls, feedback and Findings of this one move to the conversation that it continues, and are one
          conversation there. This can’t be undone.
        </Text>
        <Stack gap={4}>
          <Text size="sm">
            Your application sends no conversation id
            {instrumentation ? <> with {<Code>{instrumentation}</Code>}</> : null}. With this line it does, and later
            turns are joined by themselves:
          </Text>
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <Code block className={classes.line}>
              {line}
            </Code>
            <CopyButton value={line} label="Copy the line" />
          </Group>
        </Stack>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            data-autofocus
            loading={join.isPending || join.isSuccess}
            onClick={() => join.mutate({ projectId, conversationId, into: continued.conversationId })}
          >
            Join
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
