"use client";
import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { Refused } from "@/app/_components/feedback/refused";
import { quoted } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { CollectionFields, type CollectionForm, collectionOf, EMPTY_COLLECTION_FORM } from "./collection-fields";
import { datasetHref } from "./view";

type Props = { projectId: string; opened: boolean; onClose: () => void };

/** Creates a Dataset, and opens it. */
export const NewDataset = ({ projectId, opened, onClose }: Props) => (
  <Modal opened={opened} onClose={onClose} title="New Dataset" size="lg">
    <Fields projectId={projectId} onClose={onClose} />
  </Modal>
);

/** A separate component, so that it starts empty each time. */
function Fields({ projectId, onClose }: Omit<Props, "opened">) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const form = useForm<{ name: string; description: string } & CollectionForm>({
    initialValues: { name: "", description: "", ...EMPTY_COLLECTION_FORM },
    validate: { name: (name) => (name.trim() === "" ? "Name the Dataset." : null) },
  });
  const create = useMutation(
    trpc.datasets.create.mutationOptions({
      onSuccess: ({ dataset }) => {
        void queries.invalidateQueries({ queryKey: trpc.datasets.pathKey() });
        notifications.show({ message: `Created ${quoted(dataset.name)}` });
        router.push(datasetHref(projectId, dataset.id));
      },
      onError: (error) =>
        form.setErrors(
          Object.fromEntries(problemOf(error).errors.map(({ path, message }) => [path.slice(1), message])),
        ),
    }),
  );
  const atFields = problemOf(create.error).errors.some(({ path }) => path.slice(1) in form.values);
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, description, ...collection }) =>
        create.mutate({
          projectId,
          name: name.trim(),
          description: description.trim(),
          ...collectionOf(collection),
        }),
      )}
    >
      <Stack gap="md">
        {create.error && !atFields ? <Refused error={create.error} /> : null}
        <TextInput label="Name" required data-autofocus maxLength={200} {...form.getInputProps("name")} />
        <Textarea
          label="Description"
          description="What a model should learn from it."
          autosize
          minRows={2}
          maxRows={8}
          {...form.getInputProps("description")}
        />
        <CollectionFields projectId={projectId} value={form.values} onChange={(patch) => form.setValues(patch)} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending || create.isSuccess}>
            Create Dataset
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
