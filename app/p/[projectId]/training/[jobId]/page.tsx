import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { RunPage } from "./_components/run-page";

type Props = { params: Promise<{ projectId: string; jobId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, jobId } = await params;
  return titled<RouterOutputs["trainingJobs"]["get"]>(
    trpc.trainingJobs.get.queryOptions({ projectId, jobId }),
    ({ job }) => job.name,
    "Training run",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, jobId } = await params;
  await prefetch(trpc.trainingJobs.get.queryOptions({ projectId, jobId }));
  return (
    <Hydrate>
      <RunPage projectId={projectId} jobId={jobId} />
    </Hydrate>
  );
}
