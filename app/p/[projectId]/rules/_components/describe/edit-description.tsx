import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { PageSection } from "@/app/_components/layout/page-body";
import { quoted } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { OwnDefinition } from "@/server/services/diagnostics/own-rules/schemas";
import type { Rule } from "../use-toggle-rule";
import { DescribeForm } from "./describe-form";
import { isTryable, sentOf } from "./draft";
import { FilterForm } from "./filter-form";
import { TryDescription } from "./try-description";

type Props = { projectId: string; rule: Rule; own: OwnDefinition; may: boolean };

/** The description of an own Rule, which is changed as a new version. */
export function EditDescription({ projectId, rule, own, may }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [changes, setChanges] = useState<OwnDefinition | null>(null);
  const draft = changes ?? own;
  const onChange = (change: Partial<OwnDefinition>) => setChanges({ ...draft, ...change });
  const save = useMutation(
    trpc.rules.createVersion.mutationOptions({
      onSuccess: async () => {
        notifications.show({
          message: `Saved ${quoted(sentOf(draft).name)}. New Runs use this version; a backfill applies it to earlier ones.`,
        });
        await queries.invalidateQueries({ queryKey: trpc.rules.pathKey() });
        setChanges(null);
      },
    }),
  );
  const isChanged = JSON.stringify(sentOf(draft)) !== JSON.stringify(own);
  return (
    <>
      <PageSection title={`Description, version ${rule.version}`}>
        <DescribeForm draft={draft} disabled={!may} onChange={onChange} />
      </PageSection>
      <PageSection title="Filter">
        <FilterForm projectId={projectId} draft={draft} disabled={!may} onChange={onChange} />
      </PageSection>
      {may ? (
        <PageSection title="Try it on the past">
          <TryDescription projectId={projectId} draft={draft} />
        </PageSection>
      ) : null}
      {isChanged ? (
        <PageSection title="Unsaved version">
          <Stack gap="sm">
            <Refused error={save.error} />
            <Group gap="sm">
              <Button
                loading={save.isPending}
                disabled={!isTryable(draft) || draft.name.trim() === ""}
                onClick={() => save.mutate({ projectId, ruleId: rule.id, ...sentOf(draft) })}
              >
                Save version {rule.version + 1}
              </Button>
              <Button variant="subtle" onClick={() => setChanges(null)}>
                Discard
              </Button>
              <Text size="xs" c="dimmed">
                Conversations are read anew by it. Its Finding goes on.
              </Text>
            </Group>
          </Stack>
        </PageSection>
      ) : null}
    </>
  );
}
