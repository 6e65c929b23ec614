import { Button, Group, Text } from "@mantine/core";
import { plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";

export type PagedList = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
};

/** Shows the count, and loads more rows for readers who do not scroll. */
export function ListFoot({ shown, what, list }: { shown: number; what: string; list: PagedList }) {
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
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {list.isFetchNextPageError ? "Try again" : "Load more"}
        </Button>
      ) : null}
    </Group>
  );
}
