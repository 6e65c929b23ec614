import { Skeleton, Stack } from "@mantine/core";
import { ErrorState } from "../feedback/error-state";

type Props = {
  /** What is read, after "Loading the". */
  what: string;
  query: { error: unknown; isFetching: boolean; refetch: () => unknown };
};

/** A peek's content while its row is being read, or why it could not be. */
export function PeekUnread({ what, query }: Props) {
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  return (
    <Stack p="md" role="status" aria-label={`Loading the ${what}`}>
      {[80, 60, 70].map((width) => (
        <Skeleton key={width} height={12} width={`${width}%`} />
      ))}
    </Stack>
  );
}
