import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { VariantPage } from "./_components/variant-page";

type Props = { params: Promise<{ projectId: string; variantId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, variantId } = await params;
  return titled<RouterOutputs["variants"]["get"]>(
    trpc.variants.get.queryOptions({ projectId, variantId: decodeURIComponent(variantId) }),
    ({ variant }) => variant.name,
    "Variant",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, variantId: raw } = await params;
  const variantId = decodeURIComponent(raw);
  await Promise.all([
    prefetch(trpc.variants.get.queryOptions({ projectId, variantId })),
    prefetch(trpc.evaluations.list.queryOptions({ projectId, variantId })),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Variant">
        <VariantPage projectId={projectId} variantId={variantId} />
      </OnlyFor>
    </Hydrate>
  );
}
