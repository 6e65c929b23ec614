import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../../_components/access/only-for";
import { PriceEditor } from "./_components/price-editor";
import { loadSubject } from "./_components/subject";

export const metadata: Metadata = { title: "Edit a price" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function EditPricePage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const subject = await loadSubject(searchParams);
  await prefetch(trpc.modelPrices.list.queryOptions({ projectId }));
  return (
    <Hydrate>
      <OnlyFor capability="model-pricing:write" title="Edit a price">
        <PriceEditor projectId={projectId} subject={subject} />
      </OnlyFor>
    </Hydrate>
  );
}
