"use client";
import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";

type Props = { email: string; provider: string; mail: boolean };

/** A first password can only be set through a link: an unattended browser must not become permanent access. */
export function NoPassword({ email, provider, mail }: Props) {
  const trpc = useTRPC();
  const requestLink = useMutation(
    trpc.links.forgotPassword.mutationOptions({
      onSuccess: () => notifications.show({ message: `Sent a link to ${email}` }),
      onError: (failed) => notifications.show({ color: "red", message: problemOf(failed).detail }),
    }),
  );
  return (
    <Stack gap="sm">
      <Text size="sm">
        You have no password: you sign in with {provider}.{" "}
        {mail
          ? "You can have a link e-mailed to you to set one."
          : "A project owner or the operator of this installation can give you a link to set one."}
      </Text>
      {mail ? (
        <div>
          <Button
            size="sm"
            variant="default"
            loading={requestLink.isPending}
            disabled={requestLink.isSuccess}
            onClick={() => requestLink.mutate({ email })}
          >
            E-mail me a link
          </Button>
        </div>
      ) : null}
    </Stack>
  );
}
