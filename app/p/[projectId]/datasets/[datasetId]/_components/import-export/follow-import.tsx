"use client";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../../../_components/access/membership";
import { ImportState } from "./import-progress";
import { ImportStatus } from "./import-status";
import { isRunning } from "./import-words";

const POLL_MS = 1000;

type Props = { projectId: string; datasetId: string; importId: string; onClose: () => void };

/** An import with its live progress, a button to cancel it, and its result. */
export function FollowImport({ projectId, datasetId, importId, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("models:manage");
  const input = { projectId, datasetId, importId };
  const query = useQuery(
    trpc.datasetImports.get.queryOptions(input, {
      refetchInterval: ({ state }) => (state.data && !isRunning(state.data.import) ? false : POLL_MS),
    }),
  );
  const cancel = useMutation(
    trpc.datasetImports.cancel.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.datasetImports.pathKey() }),
    }),
  );
  const shown = query.data?.import;
  const ended = shown !== undefined && !isRunning(shown);
  useEffect(() => {
    // The import has changed the Dataset's counts, Examples and versions.
    if (ended) {
      void queries.invalidateQueries({ queryKey: trpc.datasets.pathKey() });
      void queries.invalidateQueries({ queryKey: trpc.datasetImports.list.pathKey() });
    }
  }, [ended, queries, trpc]);
  if (query.error) {
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  }
  if (!shown) {
    return (
      <Text size="sm" c="dimmed" role="status">
        Loading…
      </Text>
    );
  }
  return (
    <Stack gap="md">
      <Group gap="sm">
        <ImportStatus shown={shown} />
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {shown.fileName}
        </Text>
      </Group>
      <ImportState projectId={projectId} shown={shown} />
      {ended ? null : (
        <Text size="sm" c="dimmed">
          It continues when you leave this page.{" "}
          {shown.onError === "all_or_nothing"
            ? "If you cancel it, nothing from the file stays in the Dataset."
            : "If you cancel it, the rows stored by then stay in the Dataset."}
        </Text>
      )}
      <Refused error={cancel.error} />
      <Group justify="flex-end">
        {!ended && may ? (
          <Button
            color="red"
            variant="outline"
            loading={cancel.isPending || shown.status === "cancelling"}
            onClick={() => cancel.mutate(input)}
          >
            Cancel import
          </Button>
        ) : null}
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
