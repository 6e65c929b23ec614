"use client";
import { Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";

export function Leave({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [opened, dialog] = useDisclosure(false);
  const leave = useMutation(trpc.projects.leave.mutationOptions({ onSuccess: () => window.location.assign("/") }));
  const mayHaveKeys = useMay("project:admin");
  const [revokeKeys, setRevokeKeys] = useState(true);
  const close = () => {
    leave.reset();
    dialog.close();
  };
  return (
    <>
      <Button variant="default" size="sm" onClick={dialog.open}>
        Leave the project…
      </Button>
      <Modal opened={opened} onClose={close} title="Leave this project?">
        <Stack gap="md">
          <Text size="sm">You lose it at once; only an owner can let you in again. The last owner cannot leave.</Text>
          {mayHaveKeys ? (
            <Checkbox
              size="sm"
              label="Revoke the API keys that I made here"
              checked={revokeKeys}
              onChange={(event) => setRevokeKeys(event.currentTarget.checked)}
            />
          ) : null}
          <Refused error={leave.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Stay
            </Button>
            <Button
              color="red"
              loading={leave.isPending || leave.isSuccess}
              onClick={() => leave.mutate({ projectId, revokeKeys: mayHaveKeys && revokeKeys })}
            >
              Leave
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
