import { Alert, Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { formatBytes, formatCount } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";

const UNDERWAY_MS = 10_000;

/** The progress of moving older telemetry to shared content; renders nothing if the project has none, or on an error. */
export function Compaction({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data } = useQuery(
    trpc.compaction.get.queryOptions(
      { projectId },
      { refetchInterval: ({ state }) => (state.data?.compaction?.state === "running" ? UNDERWAY_MS : false) },
    ),
  );
  const update = useMutation(
    trpc.compaction.update.mutationOptions({
      onSuccess: (reply) => queries.setQueryData(trpc.compaction.get.queryKey({ projectId }), reply),
      onError: () => queries.invalidateQueries({ queryKey: trpc.compaction.pathKey() }),
    }),
  );
  const compaction = data?.compaction;
  if (!compaction) return null;
  const { state, rowsExamined, charactersSaved } = compaction;
  const saved = `${formatBytes(charactersSaved)} of repeated text`;
  return (
    <>
      <Group justify="space-between" gap="xs" mt="md">
        <Text size="sm" flex="1 1 20rem" data-testid="compaction">
          {state === "completed"
            ? `Older telemetry was compacted: ${saved} is now stored once.`
            : `${state === "paused" ? "Compacting older telemetry is paused" : "Compacting older telemetry in the background"}: ${formatCount(rowsExamined)} spans and logs checked, ${saved} saved so far. Everything stays readable in the meantime.`}
        </Text>
        {state === "completed" ? null : (
          <Button
            variant="default"
            loading={update.isPending}
            onClick={() => update.mutate({ projectId, paused: state === "running" })}
          >
            {state === "paused" ? "Continue" : "Pause"}
          </Button>
        )}
      </Group>
      {update.error ? (
        <Alert role="alert" color="red" p="xs" mt="sm">
          {problemOf(update.error).detail}
        </Alert>
      ) : null}
    </>
  );
}
