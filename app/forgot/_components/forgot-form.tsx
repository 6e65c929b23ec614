"use client";
import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Shows the same message whether or not the address has an account. */
export function ForgotForm() {
  const trpc = useTRPC();
  const ready = useMounted();
  const [email, setEmail] = useState("");
  const forgot = useMutation(trpc.links.forgotPassword.mutationOptions());
  if (forgot.isSuccess) {
    return (
      <Stack gap="sm" role="status">
        <Text>If {email.trim()} has an account here, a link has been sent to it. It works once, within a day.</Text>
        <Anchor href="/sign-in">Back to sign-in</Anchor>
      </Stack>
    );
  }
  return (
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        forgot.mutate({ email: email.trim() });
      }}
    >
      <Stack gap="sm">
        <Text c="dimmed">You will receive an e-mail with a link to set a new password.</Text>
        <Refused error={forgot.error} />
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" mt={4} loading={forgot.isPending} disabled={!ready} fullWidth>
          E-mail me a link
        </Button>
        <Anchor href="/sign-in" size="sm">
          Back to sign-in
        </Anchor>
      </Stack>
    </form>
  );
}
