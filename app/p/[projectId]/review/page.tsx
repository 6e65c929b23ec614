import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Review } from "./_components/review";
import { loadView, peekInput } from "./_components/view";

export const metadata: Metadata = { title: "Review" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function ReviewPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const { dataset } = await loadView(searchParams);
  await Promise.all([
    prefetch(trpc.datasets.list.queryOptions({ projectId, limit: 500 })),
    prefetch(trpc.reviewQueue.peek.queryOptions(peekInput(projectId, dataset))),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="models:manage" title="Review">
        <Review projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
