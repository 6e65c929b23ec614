import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { prefetchTrainersIfEmpty } from "../_components/training/prefetch-trainers";
import { Playground } from "./_components/playground";

export const metadata: Metadata = { title: "Playground" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  const list = trpc.checkpoints.list.queryOptions({ projectId, limit: 100 });
  await prefetch(list);
  await prefetchTrainersIfEmpty(projectId, list);
  return (
    <Hydrate>
      <Playground projectId={projectId} />
    </Hydrate>
  );
}
