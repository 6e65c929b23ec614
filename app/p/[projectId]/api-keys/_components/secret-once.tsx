import { Code, Group, Stack, Text } from "@mantine/core";
import { CopyButton } from "@/app/_components/controls/copy-button";

/** A key's secret, shown once. */
export function SecretOnce({ secret }: { secret: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm">You won’t see this again: Whetstone stores only a hash of the key.</Text>
      <Code block p="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }} data-testid="secret">
        {secret}
      </Code>
      <Group>
        <CopyButton value={secret} label="Copy key" withText />
      </Group>
    </Stack>
  );
}
