"use client";
import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { NewProject } from "./new-project";

export function CreateFirstProject() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Stack gap="sm" align="flex-start">
      <Text>You belong to no project. Create one, or ask an owner to add you to theirs.</Text>
      <Button onClick={open}>New project…</Button>
      <NewProject opened={opened} onClose={close} />
    </Stack>
  );
}
