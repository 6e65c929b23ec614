"use client";
import { Button, Stack, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { signOut } from "next-auth/react";
import { Refused } from "@/app/_components/feedback/refused";
import { forgetLinkToken } from "@/app/_lib/link-token";
import { useTRPC } from "@/app/_lib/trpc/client";

type Props = { token: string; role: string; email: string };

export function AcceptInvitation({ token, role, email }: Props) {
  const trpc = useTRPC();
  const ready = useMounted();
  const accept = useMutation(
    trpc.invitations.accept.mutationOptions({
      onSuccess: ({ project }) => {
        forgetLinkToken("invite");
        window.location.assign(`/p/${project.id}`);
      },
    }),
  );
  return (
    <Stack gap="sm">
      <Text>
        You are signed in as <b>{email}</b> and will join as {role}.
      </Text>
      <Refused error={accept.error} />
      <Button
        size="sm"
        loading={accept.isPending || accept.isSuccess}
        disabled={!ready}
        onClick={() => accept.mutate({ token })}
        fullWidth
      >
        Join the project
      </Button>
      <Button
        variant="default"
        size="sm"
        disabled={!ready}
        onClick={() => void signOut({ redirect: false }).then(() => window.location.reload())}
        fullWidth
      >
        I’m someone else
      </Button>
    </Stack>
  );
}
