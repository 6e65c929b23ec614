import { Button, Group, Text } from "@mantine/core";
import { plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import type { PagedQuery } from "./types";

/** Shows the count, and loads more rows for readers who do not scroll. */
export function ListFoot({
  shown,
  what,
  list,
}: {
  shown: number;
  what: string;
  list: Partial<PagedQuery> & { error: unknown };
}) {
  return (
    <Group px="md" py={8} gap="sm" mih={46}>
      <Text size="xs" c="dimmed" role="status">
        {plural(shown, what)}
        {list.hasNextPage ? " so far" : ""}
        {list.isFetchNextPageError ? `. ${problemOf(list.error).title}` : ""}
      </Text>
      {list.hasNextPage ? (
        <Button
          variant="default"
          size="compact-xs"
          loading={list.isFetchingNextPage ?? false}
          onClick={() => void list.fetchNextPage?.()}
        >
          {list.isFetchNextPageError ? "Try again" : "Load more"}
        </Button>
      ) : null}
    </Group>
  );
}
