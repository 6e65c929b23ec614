"use client";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ExploreSample } from "./explore-sample";
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
      <Group align="flex-start">
        <Button onClick={open}>New project…</Button>
        <ExploreSample />
      </Group>
      <NewProject opened={opened} onClose={close} />
    </Stack>
  );
}
