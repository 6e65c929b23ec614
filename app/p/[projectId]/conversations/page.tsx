import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Conversations } from "./_components/conversations";
import { filterInput, listInput, loadView } from "./_components/view";
import { chunkInput, summaryInput } from "./[conversationId]/_components/inputs";

export const metadata: Metadata = { title: "Conversations" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function ConversationsPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const view = await loadView(searchParams);
  const now = Date.now();
  await Promise.all([
    prefetch(trpc.conversations.list.infiniteQueryOptions(listInput(projectId, view, now), nextPage)),
    prefetch(trpc.conversations.facets.queryOptions(filterInput(projectId, view, now))),
    view.peek ? prefetch(trpc.conversations.get.queryOptions(summaryInput(projectId, view.peek))) : undefined,
    view.peek ? prefetch(trpc.conversations.messages.queryOptions(chunkInput(projectId, view.peek, 0))) : undefined,
  ]);
  return (
    <Hydrate>
      <Conversations projectId={projectId} openedAt={now} />
    </Hydrate>
  );
}
