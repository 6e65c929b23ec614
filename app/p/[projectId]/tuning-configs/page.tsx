import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { TuningConfigs } from "./_components/tuning-configs";
import { listInput } from "./_components/view";

export const metadata: Metadata = { title: "Tuning configurations" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.trainers.list.queryOptions({ projectId }));
  await prefetch(trpc.tuningConfigs.list.infiniteQueryOptions(listInput(projectId), nextCursorPage));
  return (
    <Hydrate>
      <TuningConfigs projectId={projectId} />
    </Hydrate>
  );
}
