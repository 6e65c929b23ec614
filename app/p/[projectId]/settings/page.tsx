import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { activeLinksInput } from "../_components/sharing/share-words";
import { Settings } from "./_components/settings";

export const metadata: Metadata = { title: "Settings" };

export default async function SettingsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await Promise.all([
    prefetch(trpc.projects.get.queryOptions({ projectId })),
    prefetch(trpc.diagnosticSettings.get.queryOptions({ projectId })),
    prefetch(trpc.shareLinks.getSettings.queryOptions({ projectId })),
    prefetch(trpc.shareLinks.list.infiniteQueryOptions(activeLinksInput(projectId), nextPage)),
    prefetch(trpc.diagnostics.status.queryOptions({ projectId })),
  ]);
  return (
    <Hydrate>
      <Settings projectId={projectId} />
    </Hydrate>
  );
}
