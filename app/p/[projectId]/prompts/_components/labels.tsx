import { Badge, Group } from "@mantine/core";

/** Labels of a version. */
export const Labels = ({ labels }: { labels: readonly string[] }) => (
  <Group gap={4} component="span" display="inline-flex">
    {labels.map((label) => (
      <Badge key={label} component="span" variant="default" size="sm" tt="none" fw={500} maw="100%">
        {label}
      </Badge>
    ))}
  </Group>
);
