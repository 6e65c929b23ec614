"use client";
import { Button, Group, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import type { ListQuery } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useKeys } from "@/app/_lib/use-keys";
import { useMay } from "../../../_components/access/membership";
import { pageHref } from "../../../_components/shell/pages";
import { EditDescription } from "../../_components/describe/edit-description";
import { RuleLinks } from "../../_components/rules";
import { type Rule, useToggleRule } from "../../_components/use-toggle-rule";
import { type Draft, patchOf } from "./draft";
import { SaveBar } from "./save-bar";
import { SettingsForm } from "./settings-form";
import { SignalTable } from "./signal-table";
import { TryRule } from "./try-rule";

type Props = { projectId: string; ruleId: string };

/** A Rule: what it looks for, its settings, their effect, and a trial on one conversation. */
export function RulePage({ projectId, ruleId }: Props) {
  const trpc = useTRPC();
  const list = useQuery(trpc.rules.list.queryOptions({ projectId }));
  const { data, error, refetch, isFetching } = list;
  const rule = data?.rules.find(({ id }) => id === ruleId);
  if (rule) return <Edit projectId={projectId} list={list} rule={rule} />;
  return (
    <>
      <PageHeader title={<BackLink href={pageHref(projectId, "rules")} label="Rules" />} />
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : data ? (
        <EmptyState icon={null} title="Rule not found">
          This project has no Rule “{ruleId}”.
        </EmptyState>
      ) : null}
    </>
  );
}

function Edit({ projectId, list, rule }: { projectId: string; list: ListQuery; rule: Rule }) {
  const may = useMay("diagnostics:write");
  const { toggle, undo, pending } = useToggleRule(projectId);
  // Null until something is edited, so that another person's change shows.
  const [draft, setDraft] = useState<Draft | null>(null);
  const configuration = draft ?? rule.configuration;
  const patch = patchOf(rule.configuration, configuration);
  useKeys({ u: undo });
  const onChange = (change: Partial<Draft>) => setDraft({ ...configuration, ...change });
  return (
    <>
      <PageHeader
        title={
          <Group component="span" gap="xs" wrap="nowrap">
            <BackLink href={pageHref(projectId, "rules")} label="Rules" />
            {rule.name}
          </Group>
        }
        aside={
          <Button
            component={Link}
            variant="default"
            href={`${pageHref(projectId, "backfills")}?new=${encodeURIComponent(rule.id)}`}
          >
            Backfill…
          </Button>
        }
      >
        <Group gap="sm" w={{ base: "100%", sm: "auto" }}>
          <Switch
            label={rule.enabled ? "On" : "Off"}
            aria-label={`${rule.name} is on`}
            checked={rule.enabled}
            disabled={!may || pending === rule.id}
            onChange={() => toggle(rule)}
          />
          <Text size="sm" span>
            <RuleLinks projectId={projectId} ruleId={rule.id} />
          </Text>
        </Group>
      </PageHeader>
      <PageBody>
        {rule.own ? <EditDescription projectId={projectId} rule={rule} own={rule.own} may={may} /> : null}
        <PageSection title="Signals" flush>
          <Text size="sm" c="dimmed" px="md" pb="xs">
            {rule.summary}
          </Text>
          <SignalTable
            projectId={projectId}
            list={list}
            rule={rule}
            draft={configuration}
            disabled={!may}
            onChange={setDraft}
          />
        </PageSection>
        <PageSection title="Settings">
          <SettingsForm draft={configuration} disabled={!may} onChange={onChange} />
          {may ? null : (
            <Text size="xs" c="dimmed" mt="sm">
              You can view these but not change them. Ask an owner for the editor role.
            </Text>
          )}
        </PageSection>
        {patch ? (
          <PageSection title="Unsaved changes">
            <SaveBar projectId={projectId} rule={rule} patch={patch} onDone={() => setDraft(null)} />
          </PageSection>
        ) : null}
        {may ? (
          <PageSection title="Try it">
            <TryRule projectId={projectId} ruleId={rule.id} patch={patch} />
          </PageSection>
        ) : null}
      </PageBody>
    </>
  );
}
