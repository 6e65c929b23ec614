import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { Review } from "./_components/review";

export const metadata: Metadata = { title: "Review" };

export default async function ReviewPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.datasets.list.queryOptions({ projectId, limit: 500 }));
  return (
    <Hydrate>
      <OnlyFor capability="models:manage" title="Review">
        <Review projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
