"use client";
import { Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { Refused } from "@/app/_components/feedback/refused";
import { quoted } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type Connection, isTracker } from "@/server/services/connections/schemas";
import { TRACKER_WORDS } from "../../_components/work-items/tracker-words";
import { WEBHOOK_STEPS } from "./webhook-words";

type Props = { projectId: string; connection: Connection | null; onClose: () => void };

/** Creates or replaces the URL and the secret with which a tracker reports changes of tickets. */
export function WebhookDialog({ projectId, connection, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(connection);
  if (connection !== null && connection !== shown) setShown(connection);
  const [isMade, setMade] = useState(false);
  const close = () => {
    setMade(false);
    onClose();
  };
  return (
    <Modal
      opened={connection !== null}
      onClose={close}
      closeOnClickOutside={!isMade}
      closeOnEscape={!isMade}
      title={shown === null ? "" : `Webhook of ${quoted(shown.name)}`}
      size="lg"
    >
      {shown === null ? null : (
        <Content projectId={projectId} connection={shown} onMade={() => setMade(true)} onClose={close} />
      )}
    </Modal>
  );
}

type ContentProps = { projectId: string; connection: Connection; onMade: () => void; onClose: () => void };

function Content({ projectId, connection, onMade, onClose }: ContentProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [wasSet] = useState(connection.webhookSet);
  const create = useMutation(
    trpc.connections.createWebhook.mutationOptions({
      onSuccess: () => {
        onMade();
        return queries.invalidateQueries({ queryKey: trpc.connections.list.pathKey() });
      },
    }),
  );
  const { kind } = connection;
  if (!isTracker(kind)) return null;
  const { label } = TRACKER_WORDS[kind];
  const made = create.data?.webhook;
  if (made) {
    return (
      <Stack gap="md">
        <Text size="sm">{WEBHOOK_STEPS[kind]}</Text>
        <Once label="URL" value={made.url} />
        <Once label="Secret" value={made.secret} />
        <Text size="sm">You won’t see this again: Whetstone stores the secret encrypted.</Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied both</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <Text size="sm">
        With a webhook, {label} reports immediately that a ticket was closed or reopened. Without one, Whetstone notices
        within 40 seconds.
      </Text>
      {wasSet ? (
        <Text size="sm">
          A webhook already exists. A new secret replaces the current one: until you enter it in {label}, deliveries are
          refused.
        </Text>
      ) : null}
      <Refused error={create.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {wasSet ? "Keep it" : "Cancel"}
        </Button>
        <Button
          {...(wasSet ? { color: "red" } : {})}
          loading={create.isPending}
          onClick={() => create.mutate({ projectId, connectionId: connection.id })}
        >
          {wasSet ? "Replace webhook" : "Create webhook"}
        </Button>
      </Group>
    </Stack>
  );
}

const Once = ({ label, value }: { label: string; value: string }) => (
  <div>
    <Group justify="space-between" mb={4}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <CopyButton value={value} label={`Copy ${label === "URL" ? label : label.toLowerCase()}`} withText />
    </Group>
    <Code
      block
      p="sm"
      style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}
      data-testid={`webhook-${label.toLowerCase()}`}
    >
      {value}
    </Code>
  </div>
);
