import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorState } from "./error-state";

type Props<Data> = {
  query: { data: Data | undefined; error: unknown; isFetching: boolean; refetch: () => unknown };
  /** What a screen reader says until then: `Loading masking`. */
  loading: string;
  /** Of what will be there, in pixels. */
  height: number;
  children: (data: Data) => ReactNode;
};

/** Shows a part of a page once its query has read it; until then that it is loading, or why that failed, with a retry. */
export function WhenRead<Data>({ query, loading, height, children }: Props<Data>) {
  const { data, error, isFetching, refetch } = query;
  if (data !== undefined) return children(data);
  return error ? (
    <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
  ) : (
    <Skeleton height={height} role="status" aria-label={loading} />
  );
}
