"use client";
import { Button, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { Refused } from "@/app/_components/feedback/refused";
import { endsOf, type TimeRange } from "@/app/_lib/time-range";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";

const DEFAULT_MAXIMUM = 10_000;
const LAST_30_DAYS: TimeRange = { range: "30d", from: null, to: null };

type Props = { projectId: string; dataset: Dataset; opened: boolean; onClose: () => void };

/** Chooses the past time window that a Dataset collects from. */
export const NewPass = ({ opened, ...rest }: Props) => (
  <Modal opened={opened} onClose={rest.onClose} title={`Collect for “${rest.dataset.name}”`}>
    <Fields {...rest} />
  </Modal>
);

function Fields({ projectId, dataset, onClose }: Omit<Props, "opened">) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [range, setRange] = useState(LAST_30_DAYS);
  const [maximum, setMaximum] = useState(DEFAULT_MAXIMUM);
  const [now] = useState(() => Date.now());
  const create = useMutation(
    trpc.collectionPasses.create.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.collectionPasses.list.pathKey() });
        notifications.show({ message: "Started collecting. It continues when you leave this page." });
        onClose();
      },
    }),
  );
  const { after = 0, before = now } = endsOf(range, now);
  const isValid = after < before;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid)
          create.mutate({
            projectId,
            datasetId: dataset.id,
            startMs: after,
            endMs: before,
            maxConversations: maximum,
          });
      }}
    >
      <Stack gap="md">
        <Group gap="sm" align="flex-end">
          <TimeRangePicker what="Active" value={range} onChange={setRange} />
          <NumberInput
            size="xs"
            label="At most"
            suffix=" conversations"
            w={190}
            min={1}
            max={10_000_000}
            thousandSeparator=","
            allowDecimal={false}
            value={maximum}
            onChange={(value) => setMaximum(Number(value) || DEFAULT_MAXIMUM)}
          />
        </Group>
        {isValid ? null : (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            The window ends before it starts. Choose a later end.
          </Text>
        )}
        <Text size="sm" c="dimmed">
          What was collected before is not collected again.{" "}
          {dataset.collectionReview
            ? "What it finds waits in the review queue."
            : `What it finds is added to the Dataset as one version when it ends${dataset.collectionAsksModel ? ", except for what a model proposes: that waits in the review queue" : ""}.`}
        </Text>
        <Refused error={create.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!isValid}>
            Collect
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
