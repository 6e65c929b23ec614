"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ApiKey } from "@/server/services/api-keys/schemas";

type Props = { projectId: string; apiKey: ApiKey | null; onClose: () => void };

/** Irreversible, so it first says what stops working. */
export function RevokeKey({ projectId, apiKey, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const revoke = useMutation(
    trpc.apiKeys.revoke.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.apiKeys.pathKey() });
        notifications.show({ message: `"${apiKey?.name}" is revoked. It stops working within five seconds.` });
        onClose();
      },
    }),
  );
  const close = () => {
    revoke.reset();
    onClose();
  };
  return (
    <Modal opened={apiKey !== null} onClose={close} title={`Revoke "${apiKey?.name ?? ""}"?`}>
      <Stack gap="md">
        <Text size="sm">
          Programs that use <span className="mono">whet_…{apiKey?.hint}</span> stop being able to{" "}
          {apiKey?.capabilities.includes("telemetry:write") ? "send telemetry" : "read"} within five seconds. Keys and
          open invitations that were made with it end too. This cannot be undone.{" "}
          {apiKey?.lastUsedAt == null ? (
            "The key was never used."
          ) : (
            <>
              It was last used <Ago at={apiKey.lastUsedAt} />.
            </>
          )}
        </Text>
        <Refused error={revoke.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button
            color="red"
            loading={revoke.isPending}
            onClick={() => apiKey && revoke.mutate({ projectId, keyId: apiKey.id })}
          >
            Revoke key
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
