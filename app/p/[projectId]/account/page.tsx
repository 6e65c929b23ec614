import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Account } from "./_components/account";
import { ACTIVITY_INPUT, SESSIONS_INPUT } from "./_components/inputs";

export const metadata: Metadata = { title: "Account" };

export default async function AccountPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await Promise.all([
    prefetch(trpc.account.me.queryOptions()),
    prefetch(trpc.account.sessions.queryOptions(SESSIONS_INPUT)),
    prefetch(trpc.account.activity.infiniteQueryOptions(ACTIVITY_INPUT, nextPage)),
  ]);
  return (
    <Hydrate>
      <Account projectId={projectId} />
    </Hydrate>
  );
}
