import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { RuleRuns } from "./_components/rule-runs";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Rule Runs" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function RuleRunsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  await prefetch(trpc.ruleRuns.list.infiniteQueryOptions(listInput(projectId, view), nextPage));
  return (
    <Hydrate>
      <RuleRuns projectId={projectId} />
    </Hydrate>
  );
}
