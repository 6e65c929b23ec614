import type { Metadata } from "next";
import { getQueryClient, Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Versions } from "./_components/versions";
import { chosenOf, compareInput, listInput, loadView, type VersionsData } from "./_components/view";

export const metadata: Metadata = { title: "Versions" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function VersionsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const now = Date.now();
  const options = trpc.versions.list.queryOptions(listInput(projectId, view, now));
  await prefetch(options);
  const data = getQueryClient().getQueryData<VersionsData>(options.queryKey);
  const chosen = data && chosenOf(view, data.versions);
  if (chosen) await prefetch(trpc.versions.compare.queryOptions(compareInput(projectId, view, chosen, now)));
  return (
    <Hydrate>
      <Versions projectId={projectId} openedAt={now} />
    </Hydrate>
  );
}
