import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc-server";
import { Members } from "./_components/members";

export const metadata: Metadata = { title: "Members" };

export default async function MembersPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(
    trpc.members.list.infiniteQueryOptions(
      { projectId, limit: 100 },
      { getNextPageParam: (page) => page.pagination.nextCursor ?? undefined },
    ),
  );
  return (
    <Hydrate>
      <Members projectId={projectId} />
    </Hydrate>
  );
}
