"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { pageHref } from "../../../_components/shell/pages";
import type { Prompt } from "./view";

type Props = { projectId: string; prompt: Prompt | null; onClose: () => void };

/** Asks before a prompt is deleted. */
export function DeletePrompt({ projectId, prompt, onClose }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const remove = useMutation(
    trpc.prompts.delete.mutationOptions({
      onSuccess: (_, { promptName }) => {
        notifications.show({ message: `Deleted “${promptName}”` });
        onClose();
        router.push(pageHref(projectId, "prompts"));
        void queries.invalidateQueries({ queryKey: trpc.prompts.list.pathKey() });
      },
    }),
  );
  return (
    <ConfirmDialog
      subject={prompt}
      onClose={onClose}
      title={({ name }) => `Delete “${name}”?`}
      says={({ latestVersion }) =>
        `Deletes ${plural(latestVersion, "version")} and all labels for good. Applications that read it get “not found”. Recorded calls keep its name and version.`
      }
      action="Delete prompt"
      running={remove}
      onConfirm={({ name }) => remove.mutate({ projectId, promptName: name })}
    />
  );
}
