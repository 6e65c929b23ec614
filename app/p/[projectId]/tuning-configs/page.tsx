import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { prefetchTrainersIfEmpty } from "../_components/training/prefetch-trainers";
import { TuningConfigs } from "./_components/tuning-configs";
import { listInput } from "./_components/view";

export const metadata: Metadata = { title: "Tuning configurations" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  const list = trpc.tuningConfigs.list.infiniteQueryOptions(listInput(projectId), nextCursorPage);
  await prefetch(list);
  await prefetchTrainersIfEmpty(projectId, list);
  return (
    <Hydrate>
      <TuningConfigs projectId={projectId} />
    </Hydrate>
  );
}
