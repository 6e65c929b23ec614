import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc-server";
import { ApiKeys } from "./_components/api-keys";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeysPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(
    trpc.apiKeys.list.infiniteQueryOptions(
      { projectId, limit: 100 },
      { getNextPageParam: (page) => page.pagination.nextCursor ?? undefined },
    ),
  );
  return (
    <Hydrate>
      <ApiKeys projectId={projectId} />
    </Hydrate>
  );
}
