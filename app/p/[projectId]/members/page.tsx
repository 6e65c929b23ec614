import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { currentSession } from "@/server/auth/current-session";
import { OnlyFor } from "../_components/access/only-for";
import { Members } from "./_components/members";

export const metadata: Metadata = { title: "Members" };

export default async function MembersPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  const session = await currentSession();
  await Promise.all([
    prefetch(trpc.members.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage)),
    prefetch(trpc.members.listInvitations.infiniteQueryOptions({ projectId, pending: true, limit: 100 }, nextPage)),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="project:admin" title="Members">
        <Members projectId={projectId} me={session?.user.id ?? null} />
      </OnlyFor>
    </Hydrate>
  );
}
