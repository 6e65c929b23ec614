import type { Metadata } from "next";
import { EntryCard } from "@/app/_components/entry-card";
import { api } from "@/app/_lib/trpc-server";
import { currentSession } from "@/server/auth/session";
import { AcceptInvitation } from "./_components/accept-invitation";
import { JoinForm } from "./_components/join-form";

export const metadata: Metadata = { title: "Invitation", referrer: "no-referrer" };

export default async function InvitePage({ searchParams }: { searchParams: Promise<{ token?: string | string[] }> }) {
  const { token } = await searchParams;
  const usable = typeof token === "string" && token !== "" && token.length <= 200;
  const invitation = usable ? (await (await api()).links.invitation({ token })).invitation : null;
  if (!usable || !invitation) {
    return (
      <EntryCard title="This link opens nothing">
        It was used already, has expired, was revoked, or is not whole. Ask an owner of the project for a new one.
      </EntryCard>
    );
  }
  const { projectName, role, email } = invitation;
  const session = await currentSession();
  return (
    <EntryCard title={`Join ${projectName}`}>
      {session ? (
        <AcceptInvitation token={token} role={role} email={session.user.email} />
      ) : (
        <JoinForm token={token} role={role} email={email} />
      )}
    </EntryCard>
  );
}
