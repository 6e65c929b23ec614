import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { NewTraining } from "./_components/new-training";

export const metadata: Metadata = { title: "New training" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.trainers.list.queryOptions({ projectId }));
  return (
    <Hydrate>
      <NewTraining projectId={projectId} />
    </Hydrate>
  );
}
