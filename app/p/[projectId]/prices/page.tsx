import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Prices } from "./_components/prices";

export const metadata: Metadata = { title: "Prices" };

export default async function PricesPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await Promise.all([
    prefetch(trpc.modelPrices.list.queryOptions({ projectId })),
    prefetch(trpc.modelPrices.usage.queryOptions({ projectId })),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="model-pricing:read" title="Prices">
        <Prices projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
