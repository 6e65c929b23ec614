"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Revokes share links. `revoking` is the one in progress. */
export function useRevokeShareLink(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const revoke = useMutation(
    trpc.shareLinks.revoke.mutationOptions({
      onSuccess: () => notifications.show({ message: "Revoked the share link" }),
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.shareLinks.pathKey() }),
    }),
  );
  return {
    revoking: revoke.isPending ? revoke.variables.shareLinkId : undefined,
    onRevoke: (shareLinkId: string) => revoke.mutate({ projectId, shareLinkId }),
  };
}
