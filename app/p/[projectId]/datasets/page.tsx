import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Datasets } from "./_components/datasets";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Datasets" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<SearchParams> };

export default async function DatasetsPage({ params, searchParams }: Props) {
  const [{ projectId }, view] = await Promise.all([params, loadView(searchParams)]);
  await prefetch(trpc.datasets.list.infiniteQueryOptions(listInput(projectId, view), nextCursorPage));
  return (
    <Hydrate>
      <Datasets projectId={projectId} />
    </Hydrate>
  );
}
