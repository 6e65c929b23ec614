"use client";
import { skipToken, useQuery } from "@tanstack/react-query";
import { EntryCard } from "@/app/_components/entry/entry-card";
import { LinkCard } from "@/app/_components/entry/link-card";
import { useLinkToken } from "@/app/_lib/link-token";
import { useTRPCClient } from "@/app/_lib/trpc/client";
import { ResetForm } from "./reset-form";

export function Reset() {
  const token = useLinkToken("reset");
  const api = useTRPCClient();
  const query = useQuery({
    queryKey: ["link", "reset", token],
    queryFn: token ? async () => (await api.links.passwordReset.mutate({ token })).email : skipToken,
  });
  return (
    <LinkCard
      title="New password"
      token={token}
      query={query}
      closed="It has already been used, has expired, was replaced by a newer one or is incomplete. Ask an owner for a new one."
    >
      {(usable, email) => (
        <EntryCard title="Set a new password">
          <ResetForm token={usable} email={email} />
        </EntryCard>
      )}
    </LinkCard>
  );
}
