import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Data } from "./_components/data";
import { backupsInput, deletionsInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Data" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function DataPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const { deletion } = await loadView(searchParams);
  await Promise.all([
    prefetch(trpc.storage.get.queryOptions({ projectId })),
    prefetch(trpc.compaction.get.queryOptions({ projectId })),
    prefetch(trpc.retention.get.queryOptions({ projectId })),
    prefetch(trpc.masking.get.queryOptions({ projectId })),
    prefetch(trpc.gatewayRecording.get.queryOptions({ projectId })),
    prefetch(trpc.deletions.list.infiniteQueryOptions(deletionsInput(projectId), nextPage)),
    prefetch(trpc.backups.list.infiniteQueryOptions(backupsInput(projectId), nextPage)),
    deletion ? prefetch(trpc.deletions.get.queryOptions({ projectId, deletionId: deletion })) : undefined,
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="project:admin" title="Data">
        <Data projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
