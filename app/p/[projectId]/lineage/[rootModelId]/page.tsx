import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { LineagePage } from "./_components/lineage-page";

export const metadata: Metadata = { title: "Lineage" };

type Props = { params: Promise<{ projectId: string; rootModelId: string }> };

export default async function Page({ params }: Props) {
  const { projectId, rootModelId: encoded } = await params;
  const rootModelId = decodeURIComponent(encoded);
  await prefetch(trpc.lineage.get.queryOptions({ projectId, rootModelId }));
  return (
    <Hydrate>
      <LineagePage projectId={projectId} rootModelId={rootModelId} />
    </Hydrate>
  );
}
