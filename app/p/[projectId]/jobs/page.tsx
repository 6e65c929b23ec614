import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Jobs } from "./_components/jobs";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Jobs" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function JobsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  await Promise.all([
    prefetch(trpc.backgroundJobs.list.infiniteQueryOptions(listInput(projectId, view), nextPage)),
    prefetch(trpc.backgroundJobs.summary.queryOptions({ projectId })),
    view.peek ? prefetch(trpc.backgroundJobs.get.queryOptions({ projectId, backgroundJobId: view.peek })) : undefined,
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Jobs">
        <Jobs projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
