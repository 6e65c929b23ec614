import type { Metadata } from "next";
import { api } from "@/app/_lib/trpc/server";
import { currentSession } from "@/server/auth/current-session";
import { Invitation } from "./_components/invitation";

export const metadata: Metadata = { title: "Invitation" };

export default async function InvitePage() {
  const [session, ways] = await Promise.all([currentSession(), api().then((trpc) => trpc.signIn.ways())]);
  return <Invitation signedInAs={session?.user.email ?? null} ways={ways} />;
}
