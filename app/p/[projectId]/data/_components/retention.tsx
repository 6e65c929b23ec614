"use client";
import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { NextRun } from "./next-run";
import { RetentionForm } from "./retention-form";

/** How long conversations are kept. A number can be saved only once its effect has been shown. */
export function Retention({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.retention.get.queryOptions({ projectId }));
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton height={140} role="status" aria-label="Loading retention" />
    );
  }
  const { days, updatedAt, nextRunAt } = query.data.retention;
  return (
    <Stack gap="md">
      <div>
        <Text fw={500} data-testid="retention">
          {days === null
            ? "Conversations are kept forever."
            : `Conversations are kept for ${plural(days, "day")} after their last activity.`}
        </Text>
        <Text size="sm" c="dimmed">
          {days === null ? "Nothing is deleted by age." : <NextRun at={nextRunAt} />}
          {updatedAt === null ? null : (
            <>
              {" "}
              Set <Ago at={updatedAt} />.
            </>
          )}
        </Text>
      </div>
      {/* Remounts the form when somebody else changes the setting. */}
      <RetentionForm key={`${days} ${updatedAt}`} projectId={projectId} days={days} nextRunAt={nextRunAt} />
    </Stack>
  );
}
