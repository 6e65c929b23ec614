import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Integrations } from "./_components/integrations";

export const metadata: Metadata = { title: "Integrations" };

export default async function IntegrationsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.connections.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Integrations">
        <Integrations projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
