import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { CheckpointPage } from "./_components/checkpoint-page";

export const metadata: Metadata = { title: "Checkpoint" };

type Props = { params: Promise<{ projectId: string; checkpointId: string }> };

export default async function Page({ params }: Props) {
  const { projectId, checkpointId } = await params;
  await prefetch(trpc.checkpoints.get.queryOptions({ projectId, checkpointId }));
  return (
    <Hydrate>
      <CheckpointPage projectId={projectId} checkpointId={checkpointId} />
    </Hydrate>
  );
}
