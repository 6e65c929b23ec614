"use client";
import { Skeleton, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { NameForm } from "@/app/_components/controls/name-form";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { useTRPC } from "@/app/_lib/trpc/client";

export function Name() {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery(trpc.account.me.queryOptions());
  const rename = useMutation(
    trpc.account.rename.mutationOptions({
      onSuccess: async () => {
        notifications.show({ message: "Name changed" });
        router.refresh();
        await queries.invalidateQueries({ queryKey: trpc.account.pathKey() });
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
  return (
    <Stack gap="sm">
      <NameForm
        label="Your name"
        value={data.user.name ?? ""}
        action="Save"
        optional
        autoComplete="name"
        onSave={(name, done) => rename.mutate({ name: name || null }, { onSuccess: done })}
        saving={rename.isPending}
        error={rename.error}
      />
      <Text size="sm">You sign in as {data.user.email}.</Text>
    </Stack>
  );
}
