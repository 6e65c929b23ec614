import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { HandoffRules } from "./_components/handoff-rules";

export const metadata: Metadata = { title: "Handoff rules" };

export default async function HandoffRulesPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await Promise.all([
    prefetch(trpc.handoffRules.list.infiniteQueryOptions({ projectId }, nextPage)),
    prefetch(trpc.connections.list.queryOptions({ projectId, limit: 500 })),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="diagnostics:read" title="Handoff rules">
        <HandoffRules projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
