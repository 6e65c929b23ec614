import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Budgets } from "./_components/budgets";

export const metadata: Metadata = { title: "Gateway budgets" };

export default async function GatewayBudgetsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.gatewayBudgets.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  return (
    <Hydrate>
      <OnlyFor capability="model-pricing:read" title="Gateway budgets">
        <Budgets projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
