import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { KnowledgeGoals } from "./_components/knowledge-goals";

export const metadata: Metadata = { title: "Knowledge goals" };

export default async function KnowledgeGoalsPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.knowledgeGoals.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Knowledge goals">
        <KnowledgeGoals projectId={projectId} />
      </OnlyFor>
    </Hydrate>
  );
}
