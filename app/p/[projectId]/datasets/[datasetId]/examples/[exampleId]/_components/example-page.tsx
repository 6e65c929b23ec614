"use client";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { datasetHref } from "../../../../_components/view";
import { ExampleEditor } from "./example-editor";

type Props = { projectId: string; datasetId: string; exampleId: string };

/** Loads an Example, and passes it to its editor. */
export function ExamplePage({ projectId, datasetId, exampleId }: Props) {
  const trpc = useTRPC();
  const query = useQuery(trpc.examples.get.queryOptions({ projectId, datasetId, exampleId }));
  if (query.data) {
    return <ExampleEditor key={exampleId} projectId={projectId} datasetId={datasetId} {...query.data} />;
  }
  if (query.error) {
    return (
      <>
        <PageHeader title={<BackLink href={datasetHref(projectId, datasetId)} label="All Examples" />} />
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      </>
    );
  }
  return (
    <Stack p="md" gap="lg" role="status" aria-label="Loading the Example">
      {[40, 90, 70, 80, 60].map((width) => (
        <Skeleton key={width} height={14} width={`${width}%`} />
      ))}
    </Stack>
  );
}
