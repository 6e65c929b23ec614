"use client";
import { Autocomplete, Checkbox, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Variant } from "@/server/services/proof/variants/schemas";
import { promptText } from "@/server/services/telemetry/schemas";
import { useMay } from "../../../_components/access/membership";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { promptHref } from "../../../_components/prompts/hrefs";

const PROMPTS_LISTED = 200;

type Props = { projectId: string; subject: Variant | null; onClose: () => void };
type Saved = { name: string; version: number };

/** Makes a variant's system prompt a version of a prompt, which applications read, and watches it as the fix of its Finding. */
export function SaveAsPrompt({ projectId, subject, onClose }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const mayWatch = useMay("diagnostics:write");
  const [variant, setVariant] = useState(subject);
  const [name, setName] = useState("");
  const [content, setContent] = useState("");
  const [watches, setWatches] = useState(true);
  // What was saved before watching it was refused: trying again does not save it twice.
  const [saved, setSaved] = useState<Saved | null>(null);
  if (subject !== null && subject !== variant) {
    setVariant(subject);
    setContent(subject.systemPrompt ?? "");
    setSaved(null);
  }
  const known = useQuery(
    trpc.prompts.list.queryOptions(
      { projectId, sort: "name", order: "asc", limit: PROMPTS_LISTED },
      { enabled: subject !== null },
    ),
  );
  // A version of a chat is messages.
  const prompts = known.data?.prompts.filter(({ kind }) => kind === "text") ?? [];
  const create = useMutation(trpc.prompts.create.mutationOptions());
  const addVersion = useMutation(trpc.prompts.createVersion.mutationOptions());
  const watch = useMutation(trpc.fixes.create.mutationOptions());
  const save = useMutation({
    mutationFn: async ({ name: variantName, version, findingId }: Variant) => {
      const message = `${variantName}, version ${version}`;
      let prompt = saved;
      if (prompt === null) {
        const chosen = name.trim();
        const stored = prompts.some((one) => one.name === chosen)
          ? await addVersion.mutateAsync({ projectId, promptName: chosen, content, message })
          : await create.mutateAsync({ projectId, name: chosen, content, message });
        prompt = { name: chosen, version: stored.prompt.version };
        setSaved(prompt);
      }
      if (watches && mayWatch && findingId !== null) {
        const value = promptText({ name: prompt.name, version: String(prompt.version) });
        await watch.mutateAsync({ projectId, findingId, by: "prompt", value, note: message });
      }
      return prompt;
    },
    onSuccess: (prompt) => {
      notifications.show({
        message: `Saved as version ${prompt.version} of ${prompt.name}. Move a label to it to release it.`,
      });
      onClose();
      router.push(promptHref(projectId, prompt.name, prompt.version));
    },
    onSettled: () =>
      Promise.all(
        [trpc.prompts, trpc.fixes, trpc.findings].map((of) => queries.invalidateQueries({ queryKey: of.pathKey() })),
      ),
  });
  return (
    <ConfirmDialog
      subject={subject}
      onClose={onClose}
      title={({ name: of }) => `Save “${of}” as a prompt`}
      says={() =>
        "Applications read it once a label that they follow points to it. Replace what was filled in for one call by variables, such as {{customer}}."
      }
      action={saved === null ? "Save version" : "Watch it"}
      danger={false}
      ready={name.trim() !== "" && content.trim() !== ""}
      running={save}
      onConfirm={(of) => save.mutate(of)}
    >
      <Autocomplete
        size="sm"
        label="Prompt"
        description="A new name, or a prompt of text that gets its next version."
        placeholder="support-agent"
        value={name}
        onChange={setName}
        disabled={saved !== null}
        data={prompts.map((one) => one.name)}
      />
      <Textarea
        size="sm"
        label="Text"
        autosize
        minRows={4}
        maxRows={12}
        value={content}
        disabled={saved !== null}
        onChange={(event) => setContent(event.currentTarget.value)}
      />
      {mayWatch && variant?.findingId ? (
        <Checkbox
          size="sm"
          label="Watch it as the fix of its Finding, from its first conversation on"
          checked={watches}
          onChange={(event) => setWatches(event.currentTarget.checked)}
        />
      ) : null}
    </ConfirmDialog>
  );
}
