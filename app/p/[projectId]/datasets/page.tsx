import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Datasets } from "./_components/datasets";
import { listInput } from "./_components/view";

export const metadata: Metadata = { title: "Datasets" };

export default async function DatasetsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.datasets.list.infiniteQueryOptions(listInput(projectId), nextCursorPage));
  return (
    <Hydrate>
      <Datasets projectId={projectId} />
    </Hydrate>
  );
}
