"use client";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { CopyButton } from "@/app/_components/controls/copy-button";

/** A new link, shown once, with the origin that this browser uses. */
export function ShareLinkOnce({ token, onDone }: { token: string; onDone: () => void }) {
  const link = `${window.location.origin}/share/${token}`;
  return (
    <Stack gap="md">
      <Text size="sm">Send this link to whoever should read the copy. You won’t see it again.</Text>
      <Code block p="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }} data-testid="link">
        {link}
      </Code>
      <Group justify="space-between">
        <Group gap="xs">
          <CopyButton value={link} label="Copy link" withText />
          <Button component="a" variant="default" href={link} target="_blank" rel="noreferrer">
            Open
          </Button>
        </Group>
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}
