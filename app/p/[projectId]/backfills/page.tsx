import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Backfills } from "./_components/backfills";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Backfills" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function BackfillsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  await prefetch(trpc.backfills.list.infiniteQueryOptions(listInput(projectId, view), nextPage));
  return (
    <Hydrate>
      <Backfills projectId={projectId} />
    </Hydrate>
  );
}
