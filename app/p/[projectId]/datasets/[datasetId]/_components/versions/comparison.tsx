"use client";
import { Button, Group, NativeSelect, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageBody } from "@/app/_components/layout/page-body";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { ExampleChange } from "./example-change";

type Ends = { from: number | null; to: number | null };
type Props = { projectId: string; dataset: Dataset; from: number; to: number; onChange: (ends: Ends) => void };

/** The differences between two versions, Example by Example. */
export function Comparison({ projectId, dataset, from, to, onChange }: Props) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.datasetVersions.diff.infiniteQueryOptions(
      { projectId, datasetId: dataset.id, from, to, limit: 20 },
      nextCursorPage,
    ),
  );
  const changes = list.data?.pages.flatMap((page) => page.changes);
  return (
    <PageBody>
      <Stack p="md" gap="md" maw={960}>
        <Group gap="xs" align="flex-end">
          <VersionSelect
            label="From"
            value={from}
            newest={dataset.version}
            onChange={(next) => onChange({ from: next, to })}
          />
          <VersionSelect
            label="To"
            value={to}
            newest={dataset.version}
            onChange={(next) => onChange({ from, to: next })}
          />
          <Button variant="default" onClick={() => onChange({ from: null, to: null })}>
            All versions
          </Button>
        </Group>
        {list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
        ) : !changes ? (
          <TableSkeleton rowHeight={80} rows={4} label="Loading: Changes" />
        ) : changes.length === 0 ? (
          <EmptyState icon={null} title="These versions are the same">
            Choose another version to compare with.
          </EmptyState>
        ) : (
          <>
            <VisuallyHidden component="h2">Changes</VisuallyHidden>
            <Text size="sm" role="status">
              {plural(changes.length, "change")}
              {list.hasNextPage ? " and more" : ""}
            </Text>
            {changes.map((change) => (
              <ExampleChange key={change.exampleId} projectId={projectId} datasetId={dataset.id} change={change} />
            ))}
            {list.hasNextPage ? (
              <div>
                <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  Show more changes
                </Button>
              </div>
            ) : null}
          </>
        )}
      </Stack>
    </PageBody>
  );
}

type SelectProps = { label: string; value: number; newest: number; onChange: (version: number) => void };

/** Versions are numbered without gaps; 0 is the empty Dataset before the first version. */
const VersionSelect = ({ label, value, newest, onChange }: SelectProps) => (
  <NativeSelect
    label={label}
    value={String(value)}
    onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
    data={Array.from({ length: newest + 1 }, (_, index) => {
      const number = newest - index;
      return { value: String(number), label: number === 0 ? "Empty" : `Version ${number}` };
    })}
  />
);
