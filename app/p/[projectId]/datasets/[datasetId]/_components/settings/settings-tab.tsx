"use client";
import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { quoted } from "@/app/_lib/format";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { useMay } from "../../../../_components/access/membership";
import {
  CollectionFields,
  type CollectionForm,
  collectionFormOf,
  collectionOf,
} from "../../../_components/collection-fields";
import { CollectionPasses } from "../collection/collection-passes";
import { DeleteDataset } from "./delete-dataset";

type Form = { name: string; description: string } & CollectionForm;

const formOf = (dataset: Dataset): Form => ({
  name: dataset.name,
  description: dataset.description,
  ...collectionFormOf(dataset),
});

/** A Dataset's name, what it collects, and its deletion. */
export function SettingsTab({ projectId, dataset }: { projectId: string; dataset: Dataset }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("models:manage");
  // Null until something is edited, so that another person's change shows.
  const [edited, setEdited] = useState<Form | null>(null);
  const form = edited ?? formOf(dataset);
  const change = (patch: Partial<Form>) => setEdited({ ...form, ...patch });
  const update = useMutation(
    trpc.datasets.update.mutationOptions({
      onSuccess: ({ dataset: saved }) => {
        notifications.show({ message: `Saved ${quoted(saved.name)}` });
        setEdited(null);
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.datasets.pathKey() }),
    }),
  );
  return (
    <PageBody>
      <PageSection title="Dataset">
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            update.mutate({
              projectId,
              datasetId: dataset.id,
              name: form.name.trim(),
              description: form.description.trim(),
              ...collectionOf(form),
            });
          }}
        >
          <Stack gap="md" maw={560}>
            <Refused error={update.error} />
            <TextInput
              label="Name"
              required
              maxLength={200}
              disabled={!may}
              value={form.name}
              error={form.name.trim() === "" ? "Name the Dataset." : fieldProblem(update.error, "/name")}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
            />
            <Textarea
              label="Description"
              autosize
              minRows={2}
              maxRows={12}
              disabled={!may}
              value={form.description}
              error={fieldProblem(update.error, "/description")}
              onChange={({ currentTarget }) => change({ description: currentTarget.value })}
            />
            <CollectionFields projectId={projectId} value={form} onChange={change} disabled={!may} />
            {may ? (
              <Group gap="xs">
                <Button type="submit" loading={update.isPending} disabled={edited === null || form.name.trim() === ""}>
                  Save settings
                </Button>
                {edited === null ? null : (
                  <Button variant="default" onClick={() => setEdited(null)}>
                    Discard
                  </Button>
                )}
              </Group>
            ) : (
              <Text size="xs" c="dimmed">
                You can view these but not change them. Ask an owner for the editor role.
              </Text>
            )}
          </Stack>
        </form>
      </PageSection>
      <PageSection title="Collected">
        <CollectionPasses projectId={projectId} dataset={dataset} />
      </PageSection>
      {may ? (
        <PageSection title="Delete">
          <DeleteDataset projectId={projectId} dataset={dataset} />
        </PageSection>
      ) : null}
    </PageBody>
  );
}
