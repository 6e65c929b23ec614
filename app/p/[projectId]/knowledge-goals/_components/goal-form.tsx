"use client";
import { Button, Group, Modal, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { createKnowledgeGoalInput, type KnowledgeGoal } from "@/server/services/datasets/goals/schemas";

type Props = { projectId: string; goal: KnowledgeGoal | "new" | null; onClose: () => void };

/** Creates or edits a knowledge goal. */
export function GoalForm({ projectId, goal, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(goal);
  if (goal !== null && goal !== shown) setShown(goal);
  const edited = shown === "new" ? null : shown;
  return (
    <Modal
      opened={goal !== null}
      onClose={onClose}
      title={edited ? `Edit “${edited.title}”` : "New knowledge goal"}
      size="lg"
    >
      <Fields key={edited?.id ?? "new"} projectId={projectId} goal={edited} onClose={onClose} />
    </Modal>
  );
}

function Fields({ projectId, goal, onClose }: Props & { goal: KnowledgeGoal | null }) {
  const form = useForm({
    mode: "controlled",
    initialValues: {
      title: goal?.title ?? "",
      description: goal?.description ?? "",
      keyPhrases: goal?.keyPhrases ?? [],
    },
    validate: (values) =>
      Object.fromEntries(
        (createKnowledgeGoalInput.safeParse(values).error?.issues ?? []).map(({ path, message }) => [
          String(path[0]),
          message,
        ]),
      ),
  });
  const { save, error, isPending } = useSave({ projectId, goal, onClose });
  return (
    <form noValidate onSubmit={form.onSubmit(save)}>
      <Stack gap="md">
        <Refused error={error} />
        <TextInput
          label="Title"
          placeholder="Refund policy"
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps("title")}
        />
        <Textarea
          label="What the model should know"
          autosize
          minRows={3}
          maxRows={12}
          maxLength={10_000}
          {...form.getInputProps("description")}
        />
        <TagsInput
          label="Key phrases"
          description="Conversations that contain the title or one of these are about it."
          placeholder={form.values.keyPhrases.length === 0 ? "Type and press Enter" : undefined}
          maxTags={50}
          maxLength={200}
          splitChars={[]}
          acceptValueOnBlur
          {...form.getInputProps("keyPhrases")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {goal ? "Save goal" : "Create goal"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Values = Pick<KnowledgeGoal, "title" | "description" | "keyPhrases">;

function useSave({ projectId, goal, onClose }: Props & { goal: KnowledgeGoal | null }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: ({ knowledgeGoal }: { knowledgeGoal: Values }) => {
      void queries.invalidateQueries({ queryKey: trpc.knowledgeGoals.pathKey() });
      notifications.show({ message: `${goal ? "Saved" : "Created"} “${knowledgeGoal.title}”` });
      onClose();
    },
  };
  const create = useMutation(trpc.knowledgeGoals.create.mutationOptions(after));
  const update = useMutation(trpc.knowledgeGoals.update.mutationOptions(after));
  return {
    error: create.error ?? update.error,
    isPending: create.isPending || update.isPending,
    save: (values: Values) =>
      goal
        ? update.mutate({ projectId, knowledgeGoalId: goal.id, ...values })
        : create.mutate({ projectId, ...values }),
  };
}
