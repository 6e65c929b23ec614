import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Alerts } from "./_components/alerts";

export const metadata: Metadata = { title: "Alerts" };

export default async function AlertsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.alerts.list.infiniteQueryOptions({ projectId }, nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="diagnostics:read" title="Alerts">
        <Alerts projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
