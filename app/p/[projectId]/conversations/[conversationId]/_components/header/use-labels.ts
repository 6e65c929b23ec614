import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ConversationSummary } from "@/server/services/telemetry/schemas";

type Change = { add: string[]; remove: string[] };

/** Characters of a conversation's first words that fit into a toast. */
const NAME_MAX = 60;
const nameOf = ({ preview, externalId, id }: Pick<ConversationSummary, "preview" | "externalId" | "id">) => {
  const name = preview ?? externalId ?? id;
  return name.length <= NAME_MAX ? name : `${Array.from(name).slice(0, NAME_MAX).join("")}…`;
};

/** Adds and removes a conversation's labels, shows a toast, and can undo the effective changes for ten seconds. */
export function useLabels(projectId: string, conversationId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const { offer } = useUndo();
  const update = useMutation(
    trpc.conversations.changeLabels.mutationOptions({
      onSuccess: ({ conversation }, input) => {
        // Updates the page's cache, so that an editor opened before the refetch starts from it.
        queries.setQueriesData<{ conversation: typeof conversation }>(
          { queryKey: trpc.conversations.get.pathKey() },
          (old) =>
            old?.conversation.id === conversation.id
              ? { ...old, conversation: { ...old.conversation, ...conversation } }
              : old,
        );
        // It was merged into another conversation, which has its labels.
        if (conversation.id !== input.conversationId)
          router.replace(`/p/${projectId}/conversations/${conversation.id}`);
        void queries.invalidateQueries({ queryKey: trpc.conversations.pathKey() });
        void queries.invalidateQueries({ queryKey: trpc.costs.pathKey() });
      },
      onError: (error) =>
        notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
    }),
  );
  const change = ({ add, remove }: Change, then: () => void) => {
    if (add.length + remove.length === 0) return then();
    update.mutate(
      { projectId, conversationId, add, remove },
      {
        onSuccess: ({ conversation, added, removed }) => {
          const back = { projectId, conversationId: conversation.id, add: removed, remove: added };
          if (added.length + removed.length > 0)
            offer(`Changed the labels of “${nameOf(conversation)}”`, () => update.mutate(back));
          then();
        },
      },
    );
  };
  return { change, busy: update.isPending };
}
