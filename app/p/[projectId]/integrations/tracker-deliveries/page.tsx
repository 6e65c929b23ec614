import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { TrackerDeliveries } from "./_components/tracker-deliveries";

export const metadata: Metadata = { title: "Tracker deliveries" };

export default async function TrackerDeliveriesPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await Promise.all([
    prefetch(trpc.trackerDeliveries.list.infiniteQueryOptions({ projectId }, nextPage)),
    prefetch(trpc.connections.list.queryOptions({ projectId, limit: 500 })),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="diagnostics:read" title="Tracker deliveries">
        <TrackerDeliveries projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
