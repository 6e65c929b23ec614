"use client";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { CopyButton } from "@/app/_components/controls/copy-button";

type Props = { page: "invite" | "reset"; token: string; onDone: () => void; children: React.ReactNode };

/** A one-time link, shown once, with the origin that this browser uses. */
export function LinkOnce({ page, token, onDone, children }: Props) {
  const link = `${window.location.origin}/${page}#token=${token}`;
  return (
    <Stack gap="md">
      <Text size="sm">{children}</Text>
      <Code block p="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }} data-testid="link">
        {link}
      </Code>
      <Group justify="space-between">
        <CopyButton value={link} label="Copy link" withText />
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  );
}
