"use client";
import { Anchor, Skeleton, Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { ErrorState } from "../feedback/error-state";
import { EntryCard } from "./entry-card";

type Props<T> = {
  /** Rendered until it is known what the link opens. */
  title: string;
  token: string | null | undefined;
  /** What the link opens, according to the server; `null` if nothing. */
  query: UseQueryResult<T | null>;
  /** The reasons why a link may be invalid. */
  closed: string;
  children: (token: string, opens: T) => React.ReactNode;
};

/** The page of a one-time link. The script resolves the link, because its token must not be sent in a URL. */
export function LinkCard<T>({ title, token, query, closed, children }: Props<T>) {
  if (token && query.data) return children(token, query.data);
  if (token === null || query.data === null)
    return (
      <EntryCard title="This link doesn’t work">
        {closed}{" "}
        <Anchor href="/" underline="always">
          Go to the workbench
        </Anchor>
        .
      </EntryCard>
    );
  return (
    <EntryCard title={title}>
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      ) : (
        <Stack gap="sm" role="status" aria-label="Checking the link">
          <Skeleton height={12} width="80%" />
          <Skeleton height={36} />
          <Skeleton height={36} />
        </Stack>
      )}
    </EntryCard>
  );
}
