"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ApiKey } from "@/server/services/api-keys/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = { projectId: string; apiKey: ApiKey | null; onClose: () => void };

/** Irreversible, so it first shows what stops working. */
export function RevokeKey({ projectId, apiKey, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const revoke = useMutation(
    trpc.apiKeys.revoke.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.apiKeys.pathKey() });
        notifications.show({ message: `"${apiKey?.name}" is revoked. It stops working within five seconds.` });
        onClose();
      },
    }),
  );
  return (
    <ConfirmDialog
      subject={apiKey}
      onClose={onClose}
      title={({ name }) => `Revoke "${name}"?`}
      says={(key) => (
        <>
          Within five seconds, programs that use <span className="mono">whet_…{key.hint}</span> can no longer{" "}
          {key.capabilities.includes("telemetry:write") ? "send telemetry" : "read"}. Keys and open invitations created
          with it are revoked too. This can’t be undone.{" "}
          {key.lastUsedAt === null ? (
            "The key was never used."
          ) : (
            <>
              It was last used <Ago at={key.lastUsedAt} />.
            </>
          )}
        </>
      )}
      action="Revoke key"
      keep="Keep it"
      running={revoke}
      onConfirm={({ id }) => revoke.mutate({ projectId, keyId: id })}
    />
  );
}
