import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { Catalogue } from "./_components/catalogue";

export const metadata: Metadata = { title: "Price catalogue" };

export default async function CataloguePage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.modelPrices.catalogue.queryOptions({ projectId }));
  return (
    <Hydrate>
      <OnlyFor capability="model-pricing:read" title="Price catalogue">
        <Catalogue projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
