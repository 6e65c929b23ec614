"use client";
import { Button, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CopyButton } from "@/app/_components/controls/copy-button";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Trainer } from "@/server/services/trainers/schemas";
import { SecretOnce } from "../../api-keys/_components/secret-once";

type Props = { opened: boolean; onClose: () => void; trainer: Trainer | null };

/** Adds a trainer, or gives one a new key: it calls Whetstone from its machine. Its key is shown once. */
export function AddTrainer({ opened, onClose, trainer }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [name, setName] = useState(trainer?.name ?? "");
  const add = useMutation(
    trpc.trainers.add.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.trainers.pathKey() }),
    }),
  );
  const close = () => {
    onClose();
    add.reset();
    setName(trainer?.name ?? "");
  };
  const added = add.data;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={added ? `Trainer “${added.trainer.name}”` : trainer ? `New key for “${trainer.name}”` : "Add trainer"}
      size="lg"
      closeOnClickOutside={!added}
      closeOnEscape={!added}
    >
      {added ? (
        <Stack gap="md">
          <SecretOnce secret={added.key} />
          <div>
            <Text size="sm" mb={4}>
              On the training machine, run:
            </Text>
            <Code block p="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }} data-testid="command">
              {added.command}
            </Code>
            <Group mt="xs">
              <CopyButton value={added.command} label="Copy command" withText />
            </Group>
          </div>
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate({ name: name.trim(), ...(trainer ? { trainerId: trainer.id } : {}) });
          }}
        >
          <Stack gap="md">
            <Text size="sm">
              {trainer
                ? "The trainer keeps its jobs and checkpoints. Its earlier key stops working. Start it with the same --home."
                : "For another machine, such as a workstation behind a router: the trainer there calls Whetstone, with a key of its own. It serves every project of this installation."}
            </Text>
            <TextInput
              label="Name"
              placeholder="gpu-box in the office"
              required
              data-autofocus
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Refused error={add.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={add.isPending} disabled={name.trim() === ""}>
                {trainer ? "Create key" : "Add trainer"}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
