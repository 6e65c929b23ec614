"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { PriceDefinition } from "@/server/services/pricing/schemas";
import { ConfirmDialog } from "../../_components/confirm/confirm-dialog";

type Props = {
  projectId: string;
  price: PriceDefinition;
  opened: boolean;
  onClose: () => void;
  onRemoved: () => void;
};

/** Removes an override or a project price. Its versions stay, so it can be set again. */
export function RemovePrice({ projectId, price, opened, onClose, onRemoved }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const reset = price.resettable;
  const done = {
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: trpc.modelPrices.pathKey() });
      notifications.show({
        message: reset
          ? `"${price.modelName}" uses its built-in price from the next call on.`
          : `"${price.modelName}" no longer has a project price.`,
      });
      onClose();
      onRemoved();
    },
  };
  const resetting = useMutation(trpc.modelPrices.reset.mutationOptions(done));
  const deleting = useMutation(trpc.modelPrices.delete.mutationOptions(done));
  const removal = reset ? resetting : deleting;
  return (
    <ConfirmDialog
      subject={opened ? price : null}
      onClose={onClose}
      title={({ modelName }) => (reset ? `Reset "${modelName}"?` : `Delete the price of "${modelName}"?`)}
      says={() =>
        `${
          reset
            ? "The next call uses the built-in price again."
            : "The next call of this model uses whichever other price matches its name, or has no known cost."
        } Stored costs stay as they are, and the history keeps every version.`
      }
      action={reset ? "Reset price" : "Delete price"}
      keep="Keep it"
      running={removal}
      onConfirm={({ id }) => removal.mutate({ projectId, modelPriceId: id })}
    />
  );
}
