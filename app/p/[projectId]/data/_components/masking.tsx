"use client";
import { Alert, Skeleton, Switch, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Whether credentials are masked in messages too. The switch updates optimistically and reverts on failure. */
export function Masking({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const query = useQuery(trpc.masking.get.queryOptions({ projectId }));
  const update = useMutation(
    trpc.masking.update.mutationOptions({
      onSuccess: (reply) => queries.setQueryData(trpc.masking.get.queryKey({ projectId }), reply),
    }),
  );
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton height={72} role="status" aria-label="Loading masking" />
    );
  }
  return (
    <>
      <Text size="sm" mb="sm">
        Keys, passwords and tokens are masked before telemetry is stored: by their format, by their field name, and in
        every header that is not known to be harmless.
      </Text>
      <Switch
        checked={update.isPending ? update.variables.messages : query.data.masking.messages}
        onChange={(event) => update.mutate({ projectId, messages: event.currentTarget.checked })}
        label="Mask credentials in messages too"
        description="In prompts, answers, tool arguments and tool results. Applies to new telemetry; stored data stays as it is."
      />
      {update.error ? (
        <Alert role="alert" color="red" p="xs" mt="sm">
          {problemOf(update.error).detail}
        </Alert>
      ) : null}
    </>
  );
}
