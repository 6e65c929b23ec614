"use client";
import { Button, Group, Modal, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { CallModels } from "./call-models";
import { NewKeyForm } from "./new-key-form";
import { SecretOnce } from "./secret-once";

export function NewKey({ projectId, opened, onClose }: { projectId: string; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const create = useMutation(
    trpc.apiKeys.create.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.apiKeys.pathKey() }),
    }),
  );
  const close = () => {
    onClose();
    create.reset();
  };
  const created = create.data;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? `Key "${created.apiKey.name}"` : "New key"}
      size="lg"
      closeOnClickOutside={!created}
      closeOnEscape={!created}
    >
      {created ? (
        <Stack gap="md">
          <SecretOnce secret={created.secret} />
          {created.apiKey.capabilities.includes("gateway:use") && <CallModels secret={created.secret} />}
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <NewKeyForm
          error={create.error}
          pending={create.isPending}
          onCancel={close}
          onSubmit={(key) => create.mutate({ projectId, ...key })}
        />
      )}
    </Modal>
  );
}
