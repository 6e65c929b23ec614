"use client";
import { Stack, Switch, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { WhenRead } from "@/app/_components/feedback/when-read";
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
  const isStored = (content: boolean) => (update.isPending ? update.variables.content : content);
  return (
    <WhenRead query={query} loading="Loading what is stored of calls" height={72}>
      {({ recording }) => (
        <Stack gap="sm">
          <Text size="sm">
            Of each call the model, usage, cost, times, state, user, conversation and the names of its tools are always
            stored.
          </Text>
          <Switch
            checked={isStored(recording.content)}
            onChange={(event) => update.mutate({ projectId, content: event.currentTarget.checked })}
            label="Store what is said in calls"
            description="Messages, answers, arguments, results and descriptions of tools, and what an endpoint says of a failure. Applies to new calls within five seconds; stored calls stay as they are."
          />
          {isStored(recording.content) ? null : (
            <Text size="sm">
              Rules cannot read what is not stored: they find only what calls, errors and costs show. Such conversations
              have no text to search, replay, compare or make Examples from. What applications send as telemetry
              themselves is stored as before.
            </Text>
          )}
          <Refused error={update.error} />
        </Stack>
      )}
    </WhenRead>
  );
}
