"use client";
import { Button, Group, Skeleton, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ErrorState } from "@/app/_components/error-state";
import { IdText } from "@/app/_components/id-text";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";

export function ProjectName({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const [edited, setEdited] = useState<string | null>(null);
  const rename = useMutation(
    trpc.projects.rename.mutationOptions({
      onSuccess: () => {
        setEdited(null);
        void queries.invalidateQueries({ queryKey: trpc.projects.pathKey() });
        notifications.show({ message: "Renamed" });
        router.refresh();
      },
    }),
  );
  if (!data) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Skeleton height={56} role="status" aria-label="Loading the project" />
    );
  }
  const name = edited ?? data.project.name;
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ projectId, name: name.trim() });
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Name"
            w={320}
            maxLength={120}
            value={name}
            onChange={(event) => setEdited(event.currentTarget.value)}
            error={rename.error ? problemOf(rename.error).detail : undefined}
          />
          <Button
            type="submit"
            size="sm"
            variant="default"
            loading={rename.isPending}
            disabled={name.trim() === "" || name.trim() === data.project.name}
          >
            Rename
          </Button>
        </Group>
      </form>
      <Group gap="xs">
        <span>Project id</span>
        <IdText id={projectId} what="project id" />
      </Group>
    </Stack>
  );
}
