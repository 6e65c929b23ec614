"use client";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useProjects } from "../../_components/access/membership";
import { Impact } from "../../_components/confirm/impact";
import { TypeToConfirm } from "../../_components/confirm/type-to-confirm";

/** Deletes the project: it disappears for everyone immediately, and its rows soon after. */
export function DeleteProject({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [opened, dialog] = useDisclosure(false);
  const name = useProjects().find(({ id }) => id === projectId)?.name ?? "";
  const preview = useQuery(trpc.deletions.preview.queryOptions({ projectId }, { enabled: opened, staleTime: 0 }));
  const remove = useMutation(trpc.projects.delete.mutationOptions({ onSuccess: () => window.location.assign("/") }));
  const close = () => {
    remove.reset();
    dialog.close();
  };
  const counted = preview.isFetching ? undefined : preview.data?.preview;
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">
        Deletes all its conversations, Findings, keys and members. Members and keys lose access immediately; data is
        deleted in the background. This can’t be undone.
      </Text>
      <Button color="red" variant="outline" size="sm" onClick={dialog.open}>
        Delete the project…
      </Button>
      <TypeToConfirm
        opened={opened}
        onClose={close}
        title={`Delete ${name}?`}
        phrase={name}
        action="Delete the project"
        ready={counted !== undefined}
        running={remove.isPending || remove.isSuccess}
        error={remove.error}
        onConfirm={() => remove.mutate({ projectId, name })}
      >
        {counted ? (
          <>
            <Impact
              projectId={projectId}
              conversations={counted.conversations}
              counts={counted}
              oldestActivityAt={counted.oldestActivityAt}
              complete={counted.complete}
            />
            {counted.measuredAt === null ? null : (
              <Text size="xs" c="dimmed">
                As measured <Ago at={counted.measuredAt} />.
              </Text>
            )}
          </>
        ) : preview.error ? (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
        ) : (
          <Skeleton height={120} role="status" aria-label="Counting what will be deleted" />
        )}
      </TypeToConfirm>
    </Stack>
  );
}
