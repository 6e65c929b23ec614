import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { Repricings } from "./_components/repricings";
import { listInput } from "./_components/view";

export const metadata: Metadata = { title: "Repricing" };

export default async function RepricingsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.repricings.list.infiniteQueryOptions(listInput(projectId), nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="model-pricing:read" title="Repricing">
        <Repricings projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
