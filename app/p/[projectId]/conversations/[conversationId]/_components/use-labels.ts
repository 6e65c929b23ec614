import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useUndo } from "@/app/_components/use-undo";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";

type Conversation = { id: string; ownLabels: readonly string[] };

/** Gives a conversation other labels, says so, and can take it back for ten seconds. */
export function useLabels(projectId: string, { id, ownLabels }: Conversation) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer } = useUndo();
  const update = useMutation(
    trpc.conversations.setLabels.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.conversations.pathKey() });
        void queries.invalidateQueries({ queryKey: trpc.costs.pathKey() });
      },
      onError: (error) =>
        notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
    }),
  );
  const set = (labels: readonly string[], then: () => void) => {
    const before = ownLabels;
    const to = (next: readonly string[]) => ({ projectId, conversationId: id, labels: [...next] });
    update.mutate(to(labels), {
      onSuccess: () => {
        offer("The labels are changed.", () => update.mutate(to(before)));
        then();
      },
    });
  };
  return { set, busy: update.isPending };
}
