import { Button } from "@mantine/core";

type Props = {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  children: string;
};

/** Loads the next page of a list on a Finding's page; renders nothing once all of it is loaded. */
export const ShowEarlier = ({ list, children }: Props) =>
  list.hasNextPage ? (
    <Button
      variant="subtle"
      size="compact-xs"
      mt={6}
      loading={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {children}
    </Button>
  ) : null;
