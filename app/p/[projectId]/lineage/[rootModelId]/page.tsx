import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { LineagePage } from "./_components/lineage-page";

type Props = { params: Promise<{ projectId: string; rootModelId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, rootModelId: encoded } = await params;
  return titled<RouterOutputs["lineage"]["get"]>(
    trpc.lineage.get.queryOptions({ projectId, rootModelId: decodeURIComponent(encoded) }),
    ({ lineage }) => lineage.root.id,
    "Lineage",
  );
}

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
