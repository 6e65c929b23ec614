import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { RulePage } from "./_components/rule-page";

export const metadata: Metadata = { title: "Rule" };

export default async function Page({ params }: { params: Promise<{ projectId: string; ruleId: string }> }) {
  const { projectId, ruleId } = await params;
  await prefetch(trpc.rules.list.queryOptions({ projectId }));
  return (
    <Hydrate>
      <RulePage projectId={projectId} ruleId={decodeURIComponent(ruleId)} />
    </Hydrate>
  );
}
