"use client";
import { Autocomplete, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { LATEST, PROMPT_LABEL } from "@/server/services/prompts/schemas";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { ContentDiff } from "../../_components/content-diff";
import { clientsOf } from "../../_components/words";
import type { Prompt } from "./view";

/** A label to move to a version, or one to remove. */
export type Move = { to: number } | { to: null; label: string; from: number };
type Props = { projectId: string; prompt: Prompt; move: Move | null; onClose: () => void };

const USUAL = ["production", "staging"];

/** Asks before a label moves, and says what clients will get. */
export function MoveLabel({ projectId, prompt, move, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState("production");
  const label = move?.to === null ? move.label : chosen.trim();
  const from = prompt.labels.find((one) => one.label === label)?.version ?? null;
  const change = useMutation(
    trpc.prompts.moveLabel.mutationOptions({
      onSuccess: (moved) => {
        notifications.show({
          message:
            moved.version === null ? `Removed “${moved.label}”` : `Moved “${moved.label}” to version ${moved.version}`,
        });
        close();
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.prompts.pathKey() }),
    }),
  );
  function close() {
    change.reset();
    setChosen("production");
    onClose();
  }
  const isLabel = PROMPT_LABEL.test(label) && label !== LATEST;
  return (
    <ConfirmDialog
      subject={move}
      onClose={close}
      title={(shown) => (shown.to === null ? `Remove “${shown.label}”?` : `Move a label to version ${shown.to}`)}
      says={(shown) =>
        shown.to === null
          ? `${clientsOf(shown.label)} ${shown.label === "production" ? `get the newest version, ${prompt.latestVersion}, or “not found” if they name it,` : "get “not found”"} when they read the prompt next.`
          : !isLabel
            ? "Choose a label that clients follow, or name a new one."
            : from === shown.to
              ? `“${label}” points to version ${shown.to} already.`
              : `${clientsOf(label)} get version ${shown.to}${from === null ? "" : ` instead of version ${from}`} when they read the prompt next.`
      }
      action={move?.to === null ? "Remove label" : `Move ${isLabel ? label : "label"}`}
      danger={move?.to === null}
      ready={isLabel && from !== move?.to}
      running={change}
      onConfirm={({ to }) =>
        change.mutate({ projectId, promptName: prompt.name, label, version: to, expectedVersion: from })
      }
    >
      {move === null || move.to === null ? null : (
        <>
          <Autocomplete
            label="Label"
            data={[...new Set([...USUAL, ...prompt.labels.map((one) => one.label)])]}
            maxLength={40}
            value={chosen}
            error={
              chosen.trim() === "" || isLabel
                ? null
                : label === LATEST
                  ? "“latest” is always the newest version."
                  : "Use lower-case letters, digits, dots, underscores and hyphens."
            }
            onChange={setChosen}
          />
          {from === null || from === move.to ? null : (
            <Changes projectId={projectId} promptName={prompt.name} from={from} to={move.to} />
          )}
        </>
      )}
    </ConfirmDialog>
  );
}

type ChangesProps = { projectId: string; promptName: string; from: number; to: number };

/** What changes for clients. */
function Changes({ projectId, promptName, from, to }: ChangesProps) {
  const trpc = useTRPC();
  const before = useQuery(trpc.prompts.get.queryOptions({ projectId, promptName, version: from }));
  const after = useQuery(trpc.prompts.get.queryOptions({ projectId, promptName, version: to }));
  if (!before.data || !after.data) return null;
  return (
    <section aria-label="Changes">
      <Text size="sm" fw={500} mb={4}>
        What changes
      </Text>
      <ContentDiff before={before.data.prompt.content} after={after.data.prompt.content} />
    </section>
  );
}
