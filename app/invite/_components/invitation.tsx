"use client";
import { skipToken, useQuery } from "@tanstack/react-query";
import { EntryCard } from "@/app/_components/entry/entry-card";
import { LinkCard } from "@/app/_components/entry/link-card";
import { useLinkToken } from "@/app/_lib/link-token";
import { useTRPCClient } from "@/app/_lib/trpc/client";
import { ROLE_WORDS } from "@/app/p/[projectId]/_components/access/role-words";
import type { SignInMethods } from "@/server/services/single-sign-on";
import { AcceptInvitation } from "./accept-invitation";
import { InvitationSignIn } from "./invitation-sign-in";

type Props = { signedInAs: string | null; ways: SignInMethods };

export function Invitation({ signedInAs, ways }: Props) {
  const token = useLinkToken("invite");
  const api = useTRPCClient();
  const query = useQuery({
    queryKey: ["link", "invite", token],
    queryFn: token ? async () => (await api.links.invitation.mutate({ token })).invitation : skipToken,
  });
  return (
    <LinkCard
      title="Invitation"
      token={token}
      query={query}
      closed="It has already been used, has expired, was revoked or is incomplete. Ask a project owner for a new one."
    >
      {(usable, { projectName, role, email }) => (
        <EntryCard title={`Join ${projectName}`}>
          {signedInAs === null ? (
            <InvitationSignIn token={usable} role={ROLE_WORDS[role].one} email={email} ways={ways} />
          ) : (
            <AcceptInvitation token={usable} role={ROLE_WORDS[role].one} email={signedInAs} />
          )}
        </EntryCard>
      )}
    </LinkCard>
  );
}
