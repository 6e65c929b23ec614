"use client";
import { Alert, Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { plural } from "@/app/_lib/format";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { DeletionPreview } from "@/server/services/deletion/schemas";
import { Impact } from "../../_components/confirm/impact";
import { TypeToConfirm } from "../../_components/confirm/type-to-confirm";
import { pageHref } from "../../_components/shell/pages";

/** The server's maximum length. */
const USER_ID_MAX = 1000;

type Props = {
  projectId: string;
  /** The user id being looked up; `null` if none yet. */
  userId: string | null;
  onLook: (userId: string | null) => void;
  /** Called with the deletion that was requested. */
  onRequested: (deletionId: string) => void;
};

/** The data that your application sent under a user id: shown first, then deleted. */
export function UserData({ projectId, userId, onLook, onRequested }: Props) {
  const trpc = useTRPC();
  const [text, setText] = useState(userId ?? "");
  useEffect(() => setText(userId ?? ""), [userId]);
  const preview = useQuery(
    trpc.deletions.preview.queryOptions(
      { projectId, userId: userId ?? "" },
      // This is about to be deleted permanently, so a cached count is not good enough.
      { enabled: userId !== null && userId !== "", staleTime: 0 },
    ),
  );
  const shown = userId !== null && userId === text;
  return (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (shown) void preview.refetch();
          else onLook(text || null);
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label="User ID"
            description="The ID your application gave its user (exact match)."
            flex="1 1 16rem"
            maw={420}
            dir="auto"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={USER_ID_MAX}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={fieldProblem(preview.error, "/userId")}
          />
          <Button
            type="submit"
            size="sm"
            variant="default"
            disabled={text === ""}
            loading={preview.isFetching && preview.fetchStatus !== "idle"}
          >
            Show data
          </Button>
        </Group>
      </form>
      {!shown ? null : preview.data ? (
        <StoredData projectId={projectId} userId={userId} preview={preview.data.preview} onRequested={onRequested} />
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
      ) : (
        <Skeleton height={120} role="status" aria-label="Counting data" />
      )}
    </Stack>
  );
}

type StoredDataProps = {
  projectId: string;
  userId: string;
  preview: DeletionPreview;
  onRequested: Props["onRequested"];
};

function StoredData({ projectId, userId, preview, onRequested }: StoredDataProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [opened, dialog] = useDisclosure(false);
  const remove = useMutation(
    trpc.deletions.create.mutationOptions({
      onSuccess: ({ deletion }) => {
        queries.setQueryData(trpc.deletions.get.queryKey({ projectId, deletionId: deletion.id }), { deletion });
        void queries.invalidateQueries({ queryKey: trpc.deletions.pathKey() });
        dialog.close();
        onRequested(deletion.id);
      },
    }),
  );
  const close = () => {
    remove.reset();
    dialog.close();
  };
  const impact = (
    <Impact
      projectId={projectId}
      conversations={preview.conversations}
      href={`${pageHref(projectId, "conversations")}?user=${encodeURIComponent(userId)}`}
      counts={preview}
      oldestActivityAt={preview.oldestActivityAt}
      complete={preview.complete}
    />
  );
  return (
    <Stack gap="md" role="status" aria-label="Data of this user">
      {userId.trim() === userId ? null : (
        <Alert color="yellow" p="xs">
          This ID begins or ends with a space. The space counts: without it, this is a different user.
        </Alert>
      )}
      {preview.conversations === 0 && preview.examples === 0 ? (
        <Text size="sm">
          No conversation has this user ID. Telemetry that has arrived but is not processed yet, and log records with
          this ID outside any conversation, would still be deleted.
        </Text>
      ) : (
        <>
          {impact}
          {preview.complete ? null : (
            <Text size="sm">Counting stopped early: there is more. All of it will be deleted.</Text>
          )}
        </>
      )}
      <div>
        <Button color="red" variant="outline" size="sm" onClick={dialog.open}>
          Delete this user’s data…
        </Button>
      </div>
      <TypeToConfirm
        opened={opened}
        onClose={close}
        title="Delete this user’s data?"
        phrase={userId}
        action="Delete everything"
        ready
        running={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ projectId, userId })}
      >
        <Text size="sm">
          {preview.complete ? plural(preview.conversations, "conversation") : "More conversations than were counted"}{" "}
          and everything sent for them will be deleted in the background. This can’t be undone. What this user does
          afterwards is not affected. Existing backups still have the data until they expire.
        </Text>
        {preview.conversations === 0 ? null : impact}
      </TypeToConfirm>
    </Stack>
  );
}
