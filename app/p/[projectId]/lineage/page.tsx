import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { prefetchTrainersIfEmpty } from "../_components/training/prefetch-trainers";
import { LineageRoots } from "./_components/lineage-roots";

export const metadata: Metadata = { title: "Lineage" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  const list = trpc.trainingJobs.list.queryOptions({ projectId, limit: 100 });
  await prefetch(list);
  await prefetchTrainersIfEmpty(projectId, list);
  return (
    <Hydrate>
      <LineageRoots projectId={projectId} />
    </Hydrate>
  );
}
