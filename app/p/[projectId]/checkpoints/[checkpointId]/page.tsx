import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { CheckpointPage } from "./_components/checkpoint-page";

type Props = { params: Promise<{ projectId: string; checkpointId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, checkpointId } = await params;
  return titled<RouterOutputs["checkpoints"]["get"]>(
    trpc.checkpoints.get.queryOptions({ projectId, checkpointId }),
    ({ checkpoint }) => `${checkpoint.jobName}, step ${checkpoint.stepNumber}`,
    "Checkpoint",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, checkpointId } = await params;
  await prefetch(trpc.checkpoints.get.queryOptions({ projectId, checkpointId }));
  return (
    <Hydrate>
      <CheckpointPage projectId={projectId} checkpointId={checkpointId} />
    </Hydrate>
  );
}
