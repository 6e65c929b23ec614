import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Prompts } from "./_components/prompts";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Prompts" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<SearchParams> };

export default async function PromptsPage({ params, searchParams }: Props) {
  const [{ projectId }, view] = await Promise.all([params, loadView(searchParams)]);
  await prefetch(trpc.prompts.list.infiniteQueryOptions(listInput(projectId, view), nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Prompts">
        <Prompts projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
