"use client";
import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { NewProject } from "./new-project";

/** `may`: whether the person has the right to create projects. */
export function CreateFirstProject({ may }: { may: boolean }) {
  const [opened, { open, close }] = useDisclosure(false);
  if (!may) {
    return (
      <Text>
        You’re not a member of any project. Ask a project owner to invite you, or an owner of this installation to let
        you create projects.
      </Text>
    );
  }
  return (
    <Stack gap="sm" align="flex-start">
      <Text>You’re not a member of any project. Create one, or ask a project owner to add you.</Text>
      <Button onClick={open}>New project…</Button>
      <NewProject opened={opened} onClose={close} />
    </Stack>
  );
}
