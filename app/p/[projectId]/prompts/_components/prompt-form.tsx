"use client";
import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { createPromptInput, PROMPT_NAME, type PromptContent, variablesIn } from "@/server/services/prompts/schemas";
import { ContentDiff } from "./content-diff";
import { ContentFields } from "./content-fields";

/** The version that a new one starts from. */
export type Base = { name: string; version: number; latestVersion: number; content: PromptContent };

type Props = {
  projectId: string;
  opened: boolean;
  /** `null`: a new prompt. */
  base: Base | null;
  onClose: () => void;
  /** Closes it, too, or leaves the page. */
  onSaved: (saved: { name: string; version: number }) => void;
};

/** Writes a prompt, or the next version of one. */
export function PromptForm({ projectId, opened, base, onClose, onSaved }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={base === null ? "New prompt" : `New version of ${base.name}`}
      size="xl"
      closeOnClickOutside={false}
    >
      <Fields
        key={base === null ? "new" : `${base.name} ${base.version}`}
        projectId={projectId}
        base={base}
        onClose={onClose}
        onSaved={onSaved}
      />
    </Modal>
  );
}

const START = { text: "", chat: [{ role: "system" as const, content: "" }] };

function Fields({ projectId, base, onClose, onSaved }: Omit<Props, "opened">) {
  const [name, setName] = useState("");
  const [message, setMessage] = useState("");
  const [content, setContent] = useState<PromptContent>(base?.content ?? START.text);
  const [tried, setTried] = useState(false);
  const { save, error, isPending } = useSave({ projectId, base, onSaved });
  const isNameRight = base !== null || PROMPT_NAME.test(name.trim());
  const isContentRight = createPromptInput.shape.content.safeParse(content).success;
  const isSame = base !== null && JSON.stringify(content) === JSON.stringify(base.content);
  const variables = variablesIn(content);
  const kind = typeof content === "string" ? "text" : "chat";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (isNameRight && isContentRight && !isSame)
          save({ name: name.trim(), content, ...(message.trim() ? { message: message.trim() } : {}) });
      }}
    >
      <Stack gap="md">
        <Refused error={error} />
        {base === null ? (
          <>
            <TextInput
              label="Name"
              description="What applications read it by, and what they call it on their spans."
              placeholder="refund"
              required
              maxLength={100}
              data-autofocus
              value={name}
              error={tried && !isNameRight ? "Use letters, digits, dots, underscores and hyphens." : null}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <SegmentedControl
              aria-label="Kind"
              data={[
                { value: "text", label: "Text" },
                { value: "chat", label: "Chat messages" },
              ]}
              value={kind}
              onChange={(next) => setContent(next === "chat" ? START.chat : START.text)}
            />
          </>
        ) : null}
        <ContentFields content={content} onChange={setContent} tried={tried} />
        <Text size="xs" c="dimmed" aria-live="polite">
          {variables.length === 0
            ? "No variables. Write {{name}} where an application fills something in."
            : `Variables: ${variables.join(", ")}`}
        </Text>
        {base === null ? null : (
          <section aria-label="Changes">
            <Text size="sm" fw={500} mb={4}>
              Compared with version {base.version}
            </Text>
            {isSame ? (
              <Text size="sm" c={tried ? "var(--mantine-color-error)" : "dimmed"}>
                Nothing has changed yet.
              </Text>
            ) : (
              <ContentDiff before={base.content} after={content} />
            )}
          </section>
        )}
        <TextInput
          label="What changed"
          description="For people who read the list of versions."
          maxLength={500}
          value={message}
          onChange={({ currentTarget }) => setMessage(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {base === null ? "Create prompt" : `Create version ${base.latestVersion + 1}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Saved = { prompt: { name: string; version: number } };
type Values = { name: string; content: PromptContent; message?: string };

function useSave({ projectId, base, onSaved }: Omit<Props, "opened" | "onClose">) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = {
    onSuccess: ({ prompt }: Saved) => {
      notifications.show({
        message: base === null ? `Created “${prompt.name}”` : `Created version ${prompt.version} of “${prompt.name}”`,
      });
      void queries.invalidateQueries({ queryKey: trpc.prompts.pathKey() });
      onSaved(prompt);
    },
  };
  const create = useMutation(trpc.prompts.create.mutationOptions(after));
  const add = useMutation(trpc.prompts.createVersion.mutationOptions(after));
  return {
    error: create.error ?? add.error,
    isPending: create.isPending || create.isSuccess || add.isPending,
    save: ({ name, ...version }: Values) =>
      base === null
        ? create.mutate({ projectId, name, ...version })
        : add.mutate({ projectId, promptName: base.name, ...version }),
  };
}
