"use client";
import { Button, Group, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { PasswordReset } from "@/server/services/identity/schemas";
import { ExactTime } from "../values/exact-time";
import { Refused } from "./refused";

const creatorOf = ({ by }: PasswordReset) => {
  if (by === null) return "the operator of this installation";
  if (by.email === null) return "an owner whose account was deleted";
  return by.name === null ? by.email : `${by.name} (${by.email})`;
};

/** Warns a signed-in person that somebody else created the link that set their password, until they confirm it. */
export function ResetNotice({ reset }: { reset: PasswordReset | null }) {
  const trpc = useTRPC();
  const ready = useMounted();
  const dismiss = useMutation(trpc.account.dismissPasswordReset.mutationOptions());
  if (reset === null || dismiss.isSuccess) return null;
  return (
    <Group
      component="section"
      aria-label="Password reset"
      gap="sm"
      px="md"
      py={8}
      justify="space-between"
      style={{ borderBottom: "1px solid var(--line-strong)", background: "var(--surface-active)" }}
    >
      <Text size="sm" style={{ flex: "1 1 16rem" }}>
        Your password was reset on <ExactTime at={reset.at} /> with a link that <b>{creatorOf(reset)}</b> created. If
        you did not set it yourself, someone else has accessed your account: request a new link and inform the operator
        of this installation.
      </Text>
      <Refused error={dismiss.error} />
      <Button variant="default" loading={dismiss.isPending} disabled={!ready} onClick={() => dismiss.mutate({})}>
        Got it
      </Button>
    </Group>
  );
}
