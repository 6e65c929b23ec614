import { Button, Group, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ConfigurationPatch } from "@/server/services/diagnostics/rules/schemas";
import type { Rule } from "../../_components/use-toggle-rule";
import { ChangePreview } from "./change-preview";
import { patchOf } from "./draft";

type Props = { projectId: string; rule: Rule; patch: ConfigurationPatch; onDone: () => void };

/** Previews the unsaved changes, saves them with undo, or discards them. */
export function SaveBar({ projectId, rule, patch, onDone }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer } = useUndo();
  const update = useMutation(
    trpc.rules.update.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.rules.pathKey() }),
    }),
  );
  const preview = useMutation(trpc.rules.preview.mutationOptions());
  const save = async () => {
    const saved = await update.mutateAsync({ projectId, ruleId: rule.id, configuration: patch });
    const inverse = patchOf(saved.rule.configuration, rule.configuration);
    offer(
      `Saved “${rule.name}”. New Runs use these settings; a backfill applies them to earlier conversations.`,
      () => {
        if (inverse) update.mutate({ projectId, ruleId: rule.id, configuration: inverse });
      },
    );
    onDone();
  };
  const isCurrent = preview.variables && JSON.stringify(preview.variables.configuration) === JSON.stringify(patch);
  return (
    <Stack gap="md">
      <Refused error={update.error ?? preview.error} />
      <Group gap="sm">
        <Button loading={update.isPending} onClick={() => void save().catch(() => {})}>
          Save changes
        </Button>
        <Button
          variant="default"
          loading={preview.isPending}
          onClick={() => preview.mutate({ projectId, ruleId: rule.id, configuration: patch })}
        >
          Preview the last 7 days
        </Button>
        <Button variant="subtle" onClick={onDone}>
          Discard
        </Button>
      </Group>
      {preview.data && isCurrent ? <ChangePreview projectId={projectId} preview={preview.data.preview} /> : null}
    </Stack>
  );
}
