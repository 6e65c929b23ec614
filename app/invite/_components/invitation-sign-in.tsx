"use client";
import { Divider, Stack, Text } from "@mantine/core";
import { ProviderButton } from "@/app/_components/entry/provider-button";
import type { SignInMethods } from "@/server/services/single-sign-on";
import { JoinForm } from "./join-form";

type Props = { token: string; role: string; email: string | null; ways: SignInMethods };

/** For an invited person who is not signed in: through the provider, by a password, or either. */
export function InvitationSignIn({ token, role, email, ways: { provider, password } }: Props) {
  if (!provider) return <JoinForm token={token} role={role} email={email} />;
  return (
    <Stack gap="sm">
      {password ? null : (
        <Text c="dimmed">
          You join as {role}. {email === null ? "" : `The invitation is for ${email}.`}
        </Text>
      )}
      <ProviderButton
        name={provider.name}
        next="/invite"
        invitation={token}
        variant={password ? "default" : "filled"}
      />
      {password ? (
        <>
          <Divider label="or" />
          <JoinForm token={token} role={role} email={email} />
        </>
      ) : null}
    </Stack>
  );
}
