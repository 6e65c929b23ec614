import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { ApiKeys } from "./_components/api-keys";

export const metadata: Metadata = { title: "API keys" };

export default async function ApiKeysPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.apiKeys.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="project:admin" title="API keys">
        <ApiKeys projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
