"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { tellProblem } from "../use-review";
import { retriedWords, ticketName, type WorkItem } from "./ticket-words";

/** Returns mutations that read a Finding's ticket, retry what failed, and remove the link. */
export function useTicketChanges(item: WorkItem) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const name = ticketName(item);
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
    return queries.invalidateQueries({ queryKey: trpc.workItems.pathKey() });
  };
  const notify = (message: string) => notifications.show({ message });
  const sync = useMutation(
    trpc.workItems.sync.mutationOptions({ onSettled, onError: tellProblem, onSuccess: () => notify(`Synced ${name}`) }),
  );
  const retry = useMutation(
    trpc.workItems.retry.mutationOptions({
      onSettled,
      onError: tellProblem,
      onSuccess: ({ workItem }) => notify(retriedWords(item, "externalKey" in workItem ? workItem.externalKey : null)),
    }),
  );
  const abandon = useMutation(
    trpc.workItems.abandon.mutationOptions({ onSettled, onSuccess: () => notify(`Abandoned ${name}`) }),
  );
  return { sync, retry, abandon };
}
