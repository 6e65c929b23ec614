import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Trainers } from "./_components/trainers";

export const metadata: Metadata = { title: "Trainers" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.trainers.list.queryOptions({ projectId }));
  return (
    <Hydrate>
      <Trainers projectId={projectId} />
    </Hydrate>
  );
}
