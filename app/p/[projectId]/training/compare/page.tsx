import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { COMPARED_MAX, loadCompared } from "../_components/view";
import { Compare } from "./_components/compare";

export const metadata: Metadata = { title: "Compare runs" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function Page({ params, searchParams }: Props) {
  const { projectId } = await params;
  const { jobs } = await loadCompared(searchParams);
  const jobIds = [...new Set(jobs)].slice(0, COMPARED_MAX);
  await Promise.all(jobIds.map((jobId) => prefetch(trpc.trainingJobs.get.queryOptions({ projectId, jobId }))));
  return (
    <Hydrate>
      <Compare projectId={projectId} jobIds={jobIds} />
    </Hydrate>
  );
}
