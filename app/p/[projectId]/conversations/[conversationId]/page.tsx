import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { getQueryClient, Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { ConversationPage } from "./_components/conversation-page";
import { chunkInput, firstStarts, modelCallsInput, summaryInput } from "./_components/inputs";

type Props = {
  params: Promise<{ projectId: string; conversationId: string }>;
  searchParams: Promise<Record<string, string | string[]>>;
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, conversationId } = await params;
  return titled<RouterOutputs["conversations"]["get"]>(
    trpc.conversations.get.queryOptions(summaryInput(projectId, decodeURIComponent(conversationId))),
    ({ conversation: { preview, externalId, id } }) => preview ?? externalId ?? id,
    "Conversation",
  );
}

export default async function Page({ params, searchParams }: Props) {
  const { projectId, conversationId: raw } = await params;
  const { tab } = await searchParams;
  const conversationId = decodeURIComponent(raw);
  await Promise.all([
    prefetchConversation(projectId, conversationId, tab),
    prefetch(trpc.findings.list.queryOptions({ projectId, conversationId, limit: 200 })),
  ]);
  return (
    <Hydrate>
      <ConversationPage projectId={projectId} conversationId={conversationId} />
    </Hydrate>
  );
}

/** Reads the summary first, since the URL may contain the client's id and parts are read by ours; then the first screen. */
async function prefetchConversation(projectId: string, conversationId: string, tab: string | string[] | undefined) {
  const summary = trpc.conversations.get.queryOptions(summaryInput(projectId, conversationId));
  await prefetch(summary);
  const conversation = getQueryClient().getQueryData(summary.queryKey)?.conversation;
  if (!conversation || tab === "spans") return;
  if (tab === "cost") {
    const input = modelCallsInput(projectId, conversation.id);
    return prefetch(trpc.conversations.modelCalls.infiniteQueryOptions(input, nextPage));
  }
  const starts = firstStarts(conversation.messageCount);
  await Promise.all(
    starts.map((start) =>
      prefetch(trpc.conversations.messages.queryOptions(chunkInput(projectId, conversation.id, start))),
    ),
  );
}
