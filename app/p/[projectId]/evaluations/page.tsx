import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { prefetchTrainersIfEmpty } from "../_components/training/prefetch-trainers";
import { Evaluations } from "./_components/evaluations";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Before/after" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function Page({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const list = trpc.evaluations.list.infiniteQueryOptions(listInput(projectId, view), nextCursorPage);
  await prefetch(list);
  await prefetchTrainersIfEmpty(projectId, list);
  return (
    <Hydrate>
      <Evaluations projectId={projectId} />
    </Hydrate>
  );
}
