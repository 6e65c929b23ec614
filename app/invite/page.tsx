import type { Metadata } from "next";
import { currentSession } from "@/server/auth/session";
import { Invitation } from "./_components/invitation";

export const metadata: Metadata = { title: "Invitation" };

export default async function InvitePage() {
  const session = await currentSession();
  return <Invitation signedInAs={session?.user.email ?? null} />;
}
