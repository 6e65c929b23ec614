import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { prefetchTrainersIfEmpty } from "../_components/training/prefetch-trainers";
import { Deployments } from "./_components/deployments";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Deployments" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function Page({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const list = trpc.deployments.list.infiniteQueryOptions(listInput(projectId, view), nextCursorPage);
  await prefetch(list);
  await prefetchTrainersIfEmpty(projectId, list);
  return (
    <Hydrate>
      <Deployments projectId={projectId} />
    </Hydrate>
  );
}
