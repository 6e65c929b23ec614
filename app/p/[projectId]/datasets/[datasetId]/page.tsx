import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { DatasetPage } from "./_components/dataset-page";
import { examplesInput, facetsInput, loadView } from "./_components/view";

type Props = {
  params: Promise<{ projectId: string; datasetId: string }>;
  searchParams: Promise<Record<string, string | string[]>>;
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, datasetId } = await params;
  return titled<RouterOutputs["datasets"]["get"]>(
    trpc.datasets.get.queryOptions({ projectId, datasetId }),
    ({ dataset }) => dataset.name,
    "Dataset",
  );
}

export default async function Page({ params, searchParams }: Props) {
  const { projectId, datasetId } = await params;
  const view = await loadView(searchParams);
  await Promise.all([
    prefetch(trpc.datasets.get.queryOptions({ projectId, datasetId })),
    prefetch(trpc.examples.facets.queryOptions({ projectId, datasetId })),
    ...(view.tab === "examples"
      ? [
          prefetch(trpc.examples.list.infiniteQueryOptions(examplesInput(projectId, datasetId, view), nextCursorPage)),
          prefetch(trpc.examples.facets.queryOptions(facetsInput(projectId, datasetId, view))),
        ]
      : []),
  ]);
  return (
    <Hydrate>
      <DatasetPage projectId={projectId} datasetId={datasetId} />
    </Hydrate>
  );
}
