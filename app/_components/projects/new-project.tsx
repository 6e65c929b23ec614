"use client";
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { storeKey } from "@/app/_lib/stored-key";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Creates a project with an API key, whose secret is stored in this tab for the page that shows how to send a trace. */
export function NewProject({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [name, setName] = useState("");
  const create = useMutation(
    trpc.projects.create.mutationOptions({
      onSuccess: ({ project, secret }) => {
        storeKey(project.id, secret);
        setName("");
        onClose();
        router.push(`/p/${project.id}/send-a-trace`);
        router.refresh();
      },
    }),
  );
  return (
    <Modal opened={opened} onClose={onClose} title="New project">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ name: name.trim() });
        }}
      >
        <Stack gap="sm">
          <Text c="dimmed">One application with its conversations, Findings and keys. Projects share nothing.</Text>
          <TextInput
            label="Name"
            required
            maxLength={100}
            data-autofocus
            placeholder="Support assistant"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={create.error ? problemOf(create.error).detail : undefined}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
              Create project
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
