import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { ConversationPage } from "./_components/conversation-page";

export const metadata: Metadata = { title: "Conversation" };

type Props = { params: Promise<{ projectId: string; conversationId: string }> };

export default async function Page({ params }: Props) {
  const { projectId, conversationId: raw } = await params;
  const conversationId = decodeURIComponent(raw);
  await Promise.all([
    prefetch(trpc.conversations.get.queryOptions({ projectId, conversationId })),
    prefetch(trpc.findings.list.queryOptions({ projectId, conversationId, limit: 200 })),
  ]);
  return (
    <Hydrate>
      <ConversationPage projectId={projectId} conversationId={conversationId} />
    </Hydrate>
  );
}
