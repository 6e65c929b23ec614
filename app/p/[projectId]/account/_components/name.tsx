"use client";
import { Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ErrorState } from "@/app/_components/error-state";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";

export function Name() {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery(trpc.account.me.queryOptions());
  const [edited, setEdited] = useState<string | null>(null);
  const rename = useMutation(
    trpc.account.rename.mutationOptions({
      onSuccess: () => {
        setEdited(null);
        void queries.invalidateQueries({ queryKey: trpc.account.pathKey() });
        notifications.show({ message: "Your name is changed" });
        router.refresh();
      },
    }),
  );
  if (!data) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Skeleton height={84} role="status" aria-label="Loading your account" />
    );
  }
  const name = edited ?? data.user.name ?? "";
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ name: name.trim() || null });
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Your name"
            w={320}
            maxLength={120}
            autoComplete="name"
            value={name}
            onChange={(event) => setEdited(event.currentTarget.value)}
            error={rename.error ? problemOf(rename.error).detail : undefined}
          />
          <Button
            type="submit"
            size="sm"
            variant="default"
            loading={rename.isPending}
            disabled={name.trim() === (data.user.name ?? "")}
          >
            Save
          </Button>
        </Group>
      </form>
      <Text size="sm">You sign in as {data.user.email}.</Text>
    </Stack>
  );
}
