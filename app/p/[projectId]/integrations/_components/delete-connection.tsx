"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Connection } from "@/server/services/connections/schemas";

type Props = { projectId: string; connection: Connection | null; onClose: () => void };

/** Irreversible: the secret is stored nowhere else. */
export function DeleteConnection({ projectId, connection, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.connections.remove.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.connections.pathKey() });
        notifications.show({ message: `Deleted "${connection?.name}".` });
        onClose();
      },
    }),
  );
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <Modal opened={connection !== null} onClose={close} title={`Delete "${connection?.name ?? ""}"?`}>
      <Stack gap="md">
        <Text size="sm">
          What uses this connection stops working.
          {connection?.secretSet ? " Its secret is deleted with it and has to be entered again for a new one." : ""}{" "}
          This cannot be undone.
        </Text>
        <Refused error={remove.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onClick={() => connection && remove.mutate({ projectId, connectionId: connection.id })}
          >
            Delete connection
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
