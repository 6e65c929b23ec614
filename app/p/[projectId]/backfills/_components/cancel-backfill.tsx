"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";
import { useRuleNames } from "../../_components/findings/rule-name";
import { doneOf, totalOf } from "./backfill-words";

type Props = { projectId: string; backfill: Backfill | null; onClose: () => void };

/** Asks before a backfill is cancelled, with what has been read and what has not. */
export function CancelBackfill({ projectId, backfill, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const nameOf = useRuleNames();
  const cancel = useMutation(
    trpc.backfills.cancel.mutationOptions({
      onSuccess: ({ backfill: { ruleId } }) => {
        notifications.show({ message: `Cancelled the backfill of “${nameOf(ruleId)}”` });
        onClose();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.backfills.pathKey() }),
    }),
  );
  return (
    <ConfirmDialog
      subject={backfill}
      onClose={onClose}
      title={() => "Cancel the backfill?"}
      says={(one) =>
        `${formatCount(doneOf(one))} of ${formatCount(totalOf(one))} conversations have been checked by “${nameOf(one.ruleId)}”, and what it found is kept. The others are not checked. A cancelled backfill can’t be resumed; to continue later, pause it.`
      }
      action="Cancel backfill"
      keep="Keep it"
      running={cancel}
      onConfirm={({ id }) => cancel.mutate({ projectId, backfillId: id })}
    />
  );
}
