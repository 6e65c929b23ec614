import { Code, Group, Stack, Text } from "@mantine/core";
import { CopyButton } from "@/app/_components/controls/copy-button";

/** How a client of the OpenAI API calls models with a new key. */
export function CallModels({ secret }: { secret: string }) {
  const lines = `OPENAI_BASE_URL=${window.location.origin}/v1\nOPENAI_API_KEY=${secret}`;
  return (
    <Stack gap="xs">
      <Text size="sm">
        Any OpenAI client calls your models with these. Name a model <Code>connection/model</Code>, with the name of a
        model connection, or by the name of a deployment.
      </Text>
      <Code block p="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
        {lines}
      </Code>
      <Group>
        <CopyButton value={lines} label="Copy variables" withText />
      </Group>
    </Stack>
  );
}
