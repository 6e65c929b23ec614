import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Costs } from "./_components/costs";
import { costsInput, costsInputBefore, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Costs" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function CostsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const now = Date.now();
  await Promise.all([
    ...[costsInput(projectId, view, now), costsInputBefore(projectId, view, now)].map((input) =>
      prefetch(trpc.costs.get.queryOptions(input)),
    ),
    // If there are no costs, the page shows whether there has ever been a conversation.
    prefetch(trpc.conversations.list.queryOptions({ projectId, limit: 1 })),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="model-pricing:read" title="Costs">
        <Costs projectId={projectId} openedAt={now} />
      </OnlyFor>
    </Hydrate>
  );
}
