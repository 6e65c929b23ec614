import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { prefetchTrainersIfEmpty } from "../_components/training/prefetch-trainers";
import { Checkpoints } from "./_components/checkpoints";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Checkpoints" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function Page({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const list = trpc.checkpoints.list.infiniteQueryOptions(listInput(projectId, view), nextCursorPage);
  await prefetch(list);
  await prefetchTrainersIfEmpty(projectId, list);
  return (
    <Hydrate>
      <Checkpoints projectId={projectId} />
    </Hydrate>
  );
}
