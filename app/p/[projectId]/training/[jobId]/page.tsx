import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { RunPage } from "./_components/run-page";

export const metadata: Metadata = { title: "Training run" };

type Props = { params: Promise<{ projectId: string; jobId: string }> };

export default async function Page({ params }: Props) {
  const { projectId, jobId } = await params;
  await prefetch(trpc.trainingJobs.get.queryOptions({ projectId, jobId }));
  return (
    <Hydrate>
      <RunPage projectId={projectId} jobId={jobId} />
    </Hydrate>
  );
}
