"use client";
import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { signIn } from "next-auth/react";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { forgetLinkToken } from "@/app/_lib/link-token";
import { useTRPC } from "@/app/_lib/trpc/client";

const PASSWORD_MIN = 8;

export function ResetForm({ token, email }: { token: string; email: string }) {
  const trpc = useTRPC();
  const ready = useMounted();
  const [password, setPassword] = useState("");
  const reset = useMutation(
    trpc.links.resetPassword.mutationOptions({
      onSuccess: async (_, given) => {
        forgetLinkToken("reset");
        const signedIn = await signIn("credentials", { email, password: given.password, redirect: false }).catch(
          () => null,
        );
        window.location.assign(signedIn?.ok ? "/" : "/sign-in");
      },
    }),
  );
  return (
    // Nothing may be submitted before the script runs, least of all a password in a URL.
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        reset.mutate({ token, password });
      }}
    >
      <Stack gap="sm">
        <Text c="dimmed">All your other browsers are signed out.</Text>
        <Refused error={reset.error} />
        <TextInput label="E-mail" type="email" name="email" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_MIN} characters.`}
          name="password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={PASSWORD_MIN}
          maxLength={256}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" mt={4} loading={reset.isPending || reset.isSuccess} disabled={!ready} fullWidth>
          Set password and sign in
        </Button>
      </Stack>
    </form>
  );
}
