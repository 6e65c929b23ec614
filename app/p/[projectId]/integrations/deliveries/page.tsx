import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { Deliveries } from "./_components/deliveries";

export const metadata: Metadata = { title: "Deliveries" };

export default async function DeliveriesPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.deliveries.list.infiniteQueryOptions({ projectId }, nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="diagnostics:read" title="Deliveries">
        <Deliveries projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
