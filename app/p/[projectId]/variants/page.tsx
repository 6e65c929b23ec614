import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Variants } from "./_components/variants";

export const metadata: Metadata = { title: "Variants" };

export default async function VariantsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.variants.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Variants">
        <Variants projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
