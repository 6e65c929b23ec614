import type { Metadata } from "next";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { api, Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { currentSession } from "@/server/auth/current-session";
import { ForOwners } from "./_components/for-owners";
import { People } from "./_components/people";

export const metadata: Metadata = { title: "People" };

/** Everyone with an account, for owners of the installation; shown within a project's frame, like the account page. */
export default async function PeoplePage() {
  const session = await currentSession();
  const { rights } = await (await api()).account.me();
  if (!rights.includes("people:manage")) return <ForOwners />;
  await prefetch(trpc.people.list.infiniteQueryOptions({ limit: 100 }, nextPage));
  return (
    <Hydrate>
      <People me={session?.user.id ?? null} />
    </Hydrate>
  );
}
