"use client";
import { Alert, Skeleton, Switch, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Whether what is said in calls of the gateway is stored. The switch updates optimistically and reverts on failure. */
export function GatewayContent({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const query = useQuery(trpc.gatewayRecording.get.queryOptions({ projectId }));
  const update = useMutation(
    trpc.gatewayRecording.update.mutationOptions({
      onSuccess: (reply) => queries.setQueryData(trpc.gatewayRecording.get.queryKey({ projectId }), reply),
    }),
  );
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton height={72} role="status" aria-label="Loading what is stored of calls" />
    );
  }
  const isStored = update.isPending ? update.variables.content : query.data.recording.content;
  return (
    <>
      <Text size="sm" mb="sm">
        Of each call the model, usage, cost, times, state, user, conversation and the names of its tools are always
        stored.
      </Text>
      <Switch
        checked={isStored}
        onChange={(event) => update.mutate({ projectId, content: event.currentTarget.checked })}
        label="Store what is said in calls"
        description="Messages, answers, arguments, results and descriptions of tools, and what an endpoint says of a failure. Applies to new calls within five seconds; stored calls stay as they are."
      />
      {isStored ? null : (
        <Text size="sm" mt="sm">
          Rules cannot read what is not stored: they find only what calls, errors and costs show. Such conversations
          have no text to search, replay, compare or make Examples from. What applications send as telemetry themselves
          is stored as before.
        </Text>
      )}
      {update.error ? (
        <Alert role="alert" color="red" p="xs" mt="sm">
          {problemOf(update.error).detail}
        </Alert>
      ) : null}
    </>
  );
}
