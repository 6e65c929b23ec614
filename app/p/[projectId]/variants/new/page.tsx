import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { createLoader } from "nuqs/server";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { NewVariant } from "./_components/new-variant";
import { newVariantParsers } from "./_components/view";

export const metadata: Metadata = { title: "New variant" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<SearchParams> };
const loadView = createLoader(newVariantParsers);

export default async function NewVariantPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const { finding, conversation, message } = await loadView(searchParams);
  if (finding !== null) await prefetch(trpc.variants.faultyTurns.queryOptions({ projectId, findingId: finding }));
  else if (conversation !== null && message !== null) {
    const turn = { projectId, conversationId: conversation, messageIndex: message };
    await prefetch(trpc.variants.recordedTurn.queryOptions(turn));
  }
  return (
    <Hydrate>
      <OnlyFor capability="models:manage" title="New variant">
        <NewVariant projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
