"use client";
import { Button, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { plural, quoted } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { TypeToConfirm } from "../../../../_components/confirm/type-to-confirm";
import { pageHref } from "../../../../_components/shell/pages";

/** Deletes a Dataset, after its name has been typed. */
export function DeleteDataset({ projectId, dataset }: { projectId: string; dataset: Dataset }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const [opened, setOpened] = useState(false);
  const remove = useMutation(
    trpc.datasets.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: `Deleted ${quoted(dataset.name)}` });
        router.push(pageHref(projectId, "datasets"));
        void queries.invalidateQueries({ queryKey: trpc.datasets.list.pathKey() });
      },
    }),
  );
  const close = () => {
    remove.reset();
    setOpened(false);
  };
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm">Deletes the Dataset with its Examples, in all versions. This can’t be undone.</Text>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpened(true)}>
        Delete Dataset…
      </Button>
      <TypeToConfirm
        opened={opened}
        onClose={close}
        title={`Delete ${quoted(dataset.name)}?`}
        phrase={dataset.name}
        action="Delete Dataset"
        ready
        running={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ projectId, datasetId: dataset.id })}
      >
        <Text size="sm">
          {plural(dataset.exampleCount, "Example")} and {plural(dataset.version, "version")} are deleted. The
          conversations that Examples were made from stay. This can’t be undone.
        </Text>
      </TypeToConfirm>
    </Stack>
  );
}
