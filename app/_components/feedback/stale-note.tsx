"use client";
import { Button, Group, Text } from "@mantine/core";
import { problemOf } from "@/app/_lib/problem";
import { Ago } from "../values/ago";

type Props = { error: unknown; dataUpdatedAt: number; onRetry: () => void };

/** Shown above data that could not be refreshed, with the time when it was loaded. */
export function StaleNote({ error, dataUpdatedAt, onRetry }: Props) {
  if (!error || dataUpdatedAt === 0) return null;
  return (
    <Group role="status" gap="xs" px="md" py={6} style={{ borderBottom: "1px solid var(--line)" }} wrap="nowrap">
      <Text size="sm">
        Showing data from <Ago at={dataUpdatedAt} />. {problemOf(error).title}.
      </Text>
      <Button variant="default" size="compact-xs" onClick={onRetry}>
        Try again
      </Button>
    </Group>
  );
}
