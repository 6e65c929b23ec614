"use client";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { PriceDefinition } from "@/server/services/pricing/schemas";

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
          ? `"${price.modelName}" has its built-in price again from the next call on.`
          : `"${price.modelName}" has no price of the project's own any more.`,
      });
      onClose();
      onRemoved();
    },
  };
  const resetting = useMutation(trpc.modelPrices.reset.mutationOptions(done));
  const deleting = useMutation(trpc.modelPrices.delete.mutationOptions(done));
  const removal = reset ? resetting : deleting;
  const close = () => {
    removal.reset();
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={reset ? `Reset "${price.modelName}"?` : `Delete the price of "${price.modelName}"?`}
    >
      <Stack gap="md">
        <Text size="sm">
          {reset
            ? "The next call is priced by the built-in price again."
            : "The next call of this model is priced by whatever else fits its name, or has no known cost."}{" "}
          Costs that are stored stay as they are, and the history keeps every version.
        </Text>
        <Refused error={removal.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button
            color="red"
            loading={removal.isPending}
            onClick={() => removal.mutate({ projectId, modelPriceId: price.id })}
          >
            {reset ? "Reset price" : "Delete price"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
