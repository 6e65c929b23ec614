import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Findings } from "./_components/findings";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Findings" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function FindingsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const now = Date.now();
  await Promise.all([
    prefetch(trpc.findings.list.infiniteQueryOptions(listInput(projectId, view, now), nextPage)),
    prefetch(trpc.diagnostics.status.queryOptions({ projectId })),
    prefetch(trpc.home.lastVisit.queryOptions({ projectId })),
  ]);
  return (
    <Hydrate>
      <Findings projectId={projectId} openedAt={now} />
    </Hydrate>
  );
}
