import { Code, Group, Text } from "@mantine/core";

type Props = { phrases: readonly string[]; limit?: number };

/** The phrases by which conversations about a goal are found; those beyond `limit` are only counted. */
export function KeyPhrases({ phrases, limit = phrases.length }: Props) {
  if (phrases.length === 0)
    return (
      <Text size="sm" c="dimmed" span>
        Only the title
      </Text>
    );
  const others = phrases.length - limit;
  return (
    <Group gap={4}>
      {phrases.slice(0, limit).map((phrase) => (
        <Code key={phrase} maw="100%" className="clip" title={phrase}>
          {phrase}
        </Code>
      ))}
      {others > 0 ? (
        <Text size="xs" c="dimmed" span>
          and {others} more
        </Text>
      ) : null}
    </Group>
  );
}
