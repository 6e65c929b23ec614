import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { Notifications } from "./_components/notifications";

export const metadata: Metadata = { title: "Notifications" };

export default async function NotificationsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.notificationRules.list.infiniteQueryOptions({ projectId }, nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="diagnostics:read" title="Notifications">
        <Notifications projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
