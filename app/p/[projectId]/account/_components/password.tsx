"use client";
import { Button, PasswordInput, Skeleton, Stack, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { NoPassword } from "./no-password";

const PASSWORD_MIN = 8;

/** The password form, or what replaces it for people without a password. */
export function Password() {
  const trpc = useTRPC();
  const me = useQuery(trpc.account.me.queryOptions()).data;
  const ways = useQuery(trpc.signIn.ways.queryOptions()).data;
  if (!me || !ways) return <Skeleton height={84} role="status" aria-label="Loading how you sign in" />;
  const provider = ways.provider?.name ?? "a link";
  if (!ways.password) return <Text size="sm">Passwords are disabled here: you sign in with {provider}.</Text>;
  return me.hasPassword ? (
    <ChangePassword />
  ) : (
    <NoPassword email={me.user.email} provider={provider} mail={ways.mail} />
  );
}

function ChangePassword() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const ready = useMounted();
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNew] = useState("");
  const change = useMutation(
    trpc.account.changePassword.mutationOptions({
      onSuccess: ({ ended }) => {
        setCurrent("");
        setNew("");
        void queries.invalidateQueries({ queryKey: trpc.account.pathKey() });
        notifications.show({ message: `Password changed. ${plural(ended, "other browser")} signed out.` });
      },
    }),
  );
  return (
    <form
      method="post"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate({ currentPassword, newPassword });
      }}
    >
      <Stack gap="sm" maw={320}>
        <Refused error={change.error} />
        <PasswordInput
          label="Current password"
          name="current-password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          maxLength={256}
          value={currentPassword}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_MIN} characters. All other browsers are signed out.`}
          name="new-password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          minLength={PASSWORD_MIN}
          maxLength={256}
          value={newPassword}
          onChange={(event) => setNew(event.currentTarget.value)}
        />
        <div>
          <Button type="submit" size="sm" variant="default" loading={change.isPending} disabled={!ready}>
            Change password
          </Button>
        </div>
      </Stack>
    </form>
  );
}
