import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { LineageRoots } from "./_components/lineage-roots";

export const metadata: Metadata = { title: "Lineage" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.trainers.list.queryOptions({ projectId }));
  await prefetch(trpc.trainingJobs.list.queryOptions({ projectId, limit: 100 }));
  return (
    <Hydrate>
      <LineageRoots projectId={projectId} />
    </Hydrate>
  );
}
