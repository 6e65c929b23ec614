import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { prefetchTrainersIfEmpty } from "../_components/training/prefetch-trainers";
import { TrainingJobs } from "./_components/training-jobs";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Training" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function TrainingPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const list = trpc.trainingJobs.list.infiniteQueryOptions(listInput(projectId, view), nextCursorPage);
  await prefetch(list);
  await prefetchTrainersIfEmpty(projectId, list);
  return (
    <Hydrate>
      <TrainingJobs projectId={projectId} />
    </Hydrate>
  );
}
