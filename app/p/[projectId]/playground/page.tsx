import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Playground } from "./_components/playground";

export const metadata: Metadata = { title: "Playground" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.trainers.list.queryOptions({ projectId }));
  await prefetch(trpc.checkpoints.list.queryOptions({ projectId, limit: 100 }));
  return (
    <Hydrate>
      <Playground projectId={projectId} />
    </Hydrate>
  );
}
