"use client";
import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { PayloadView } from "../../../_components/diff/payload-view";
import { exampleHref } from "../../../_components/view";
import { SPLITS } from "../../../_components/words";

type Props = { projectId: string; datasetId: string; exampleId: string; onClose: () => void };

/** An Example beside its list: the messages and the answers as they are. */
export function ExamplePeek({ projectId, datasetId, exampleId, onClose }: Props) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.examples.get.queryOptions({ projectId, datasetId, exampleId }),
  );
  const example = data?.example;
  return (
    <PeekPanel
      label="Example"
      title="Example"
      openHref={exampleHref(projectId, datasetId, exampleId)}
      onClose={onClose}
    >
      {example ? (
        <Stack p="md" gap="md">
          <Group gap="md">
            <Text size="sm">{SPLITS[example.split]}</Text>
            <Text size="sm" className="tabular">
              About {plural(example.tokens, "token")}
            </Text>
            <Text size="sm" c="dimmed" dir="auto" style={{ overflowWrap: "anywhere" }}>
              {example.tags.join(", ")}
            </Text>
          </Group>
          <PayloadView payload={example.payload} />
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the Example">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}
