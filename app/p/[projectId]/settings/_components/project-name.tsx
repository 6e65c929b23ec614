"use client";
import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { NameForm } from "@/app/_components/controls/name-form";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { IdText } from "@/app/_components/values/id-text";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../../_components/access/membership";

export function ProjectName({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const mayRename = useMay("project:admin");
  const { data, error, refetch, isFetching } = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const rename = useMutation(
    trpc.projects.rename.mutationOptions({
      onSuccess: async (_reply, { name }) => {
        notifications.show({ message: `Renamed to “${name}”` });
        await queries.invalidateQueries({ queryKey: trpc.projects.pathKey() });
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
  return (
    <Stack gap="sm">
      {mayRename ? (
        <NameForm
          label="Name"
          value={data.project.name}
          action="Rename"
          onSave={(name, done) => rename.mutate({ projectId, name }, { onSuccess: done })}
          saving={rename.isPending}
          error={rename.error}
        />
      ) : (
        <Text>{data.project.name}</Text>
      )}
      <Group gap="xs">
        <span>Project ID</span>
        <IdText id={projectId} what="project id" />
      </Group>
    </Stack>
  );
}
