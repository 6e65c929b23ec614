"use client";
import { Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { ACTION_TOAST_MS } from "@/app/_components/feedback/toast";
import { useTRPC } from "@/app/_lib/trpc/client";
import { Impact } from "../../../../_components/confirm/impact";
import { TypeToConfirm } from "../../../../_components/confirm/type-to-confirm";
import { receiptHref } from "../../../../data/_components/view";

type Props = {
  projectId: string;
  conversationId: string;
  /** The list to return to after the deletion. */
  back: string;
  opened: boolean;
  onClose: () => void;
};

export function DeleteConversation({ projectId, conversationId, back, opened, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const preview = useQuery(
    trpc.deletions.previewConversation.queryOptions({ projectId, conversationId }, { enabled: opened, staleTime: 0 }),
  );
  const remove = useMutation(
    trpc.conversations.delete.mutationOptions({
      onSuccess: ({ deletion }) => {
        const invalidated = [trpc.conversations.list, trpc.conversations.facets, trpc.findings, trpc.deletions];
        for (const each of invalidated) void queries.invalidateQueries({ queryKey: each.pathKey() });
        notifications.show({
          autoClose: ACTION_TOAST_MS,
          title: "Conversation deleted",
          message: <Link href={receiptHref(projectId, deletion.id)}>View receipt</Link>,
        });
        // Replaces the URL: "back" must not lead to a deleted conversation.
        router.replace(back);
      },
    }),
  );
  const close = () => {
    remove.reset();
    onClose();
  };
  const counted = preview.isFetching ? undefined : preview.data?.preview;
  return (
    <TypeToConfirm
      opened={opened}
      onClose={close}
      title="Delete this conversation?"
      phrase="delete"
      action="Delete conversation"
      ready={counted !== undefined}
      running={remove.isPending || remove.isSuccess}
      error={remove.error}
      onConfirm={() => remove.mutate({ projectId, conversationId })}
    >
      <Text size="sm">
        It is deleted immediately, with everything that was sent for it. This can’t be undone, and its spans are refused
        if they are sent again. Existing backups still have it until they expire.
      </Text>
      {counted ? (
        <Impact
          projectId={projectId}
          conversations={counted.conversations}
          counts={counted}
          oldestActivityAt={null}
          complete={counted.complete}
        />
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
      ) : (
        <Skeleton height={120} role="status" aria-label="Counting what will be deleted" />
      )}
    </TypeToConfirm>
  );
}
