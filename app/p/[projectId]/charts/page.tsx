import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { filterInput } from "../conversations/_components/view";
import { Charts } from "./_components/charts";
import { chartInput, conversationsView, isComplete, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Charts" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function ChartsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const now = Date.now();
  await Promise.all([
    prefetch(trpc.conversations.facets.queryOptions(filterInput(projectId, conversationsView(view, now), now))),
    ...(isComplete(view) ? [prefetch(trpc.charts.query.queryOptions(chartInput(projectId, view, now)))] : []),
  ]);
  return (
    <Hydrate>
      <Charts projectId={projectId} openedAt={now} />
    </Hydrate>
  );
}
