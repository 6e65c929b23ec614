"use client";
import { Anchor, Skeleton, Text } from "@mantine/core";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { useMay } from "../access/membership";
import { whoMay } from "../access/role-words";
import type { useTrackers } from "./use-trackers";

type Props = { projectId: string; query: ReturnType<typeof useTrackers>["query"] };

/** Shown instead of the tracker select while there is none to choose: not loaded yet, not readable, or none connected. */
export function NoTracker({ projectId, query }: Props) {
  const mayConnect = useMay("connections:manage");
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  if (!query.data) return <Skeleton height={58} role="status" aria-label="Loading the trackers" />;
  return (
    <Text size="sm">
      This project has no connection to an issue tracker with a token: GitHub, GitLab, Linear or Jira.{" "}
      {mayConnect ? (
        <>
          Add one under{" "}
          <Anchor component={Link} underline="always" href={`/p/${encodeURIComponent(projectId)}/integrations`} inherit>
            Integrations
          </Anchor>
          .
        </>
      ) : (
        `Only ${whoMay("connections:manage")} can add one, under Integrations.`
      )}
    </Text>
  );
}
