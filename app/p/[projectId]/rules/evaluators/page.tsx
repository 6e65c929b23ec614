import type { Metadata } from "next";
import { getQueryClient, Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Evaluators } from "./_components/evaluators";
import { chosenOf, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Evaluators" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function EvaluatorsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const options = trpc.evaluators.list.queryOptions({ projectId });
  await prefetch(options);
  const name = chosenOf(view, getQueryClient().getQueryData(options.queryKey)?.evaluators ?? [])?.name;
  if (name !== undefined) await prefetch(trpc.evaluators.compare.queryOptions({ projectId, name }));
  return (
    <Hydrate>
      <Evaluators projectId={projectId} />
    </Hydrate>
  );
}
