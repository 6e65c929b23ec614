"use client";
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { quoted } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { pageHref } from "../../../_components/shell/pages";
import { DescribeForm } from "./describe-form";
import { isTryable, NEW_RULE, sentOf } from "./draft";
import { FilterForm } from "./filter-form";
import { TryDescription } from "./try-description";

/** Describes a problem in words, tries it on the past, and saves it as a Rule. */
export function NewRule({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const [draft, setDraft] = useState(NEW_RULE);
  const onChange = (change: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...change }));
  const create = useMutation(
    trpc.rules.create.mutationOptions({
      onSuccess: ({ rule }) => {
        void queries.invalidateQueries({ queryKey: trpc.rules.pathKey() });
        notifications.show({
          message: `Created ${quoted(sentOf(draft).name)}. It reads new conversations; a backfill applies it to earlier ones.`,
        });
        router.push(`${pageHref(projectId, "rules")}/${encodeURIComponent(rule.id)}`);
      },
    }),
  );
  return (
    <>
      <PageHeader
        title={
          <Group component="span" gap="xs" wrap="nowrap">
            <BackLink href={pageHref(projectId, "rules")} label="Rules" />
            Describe a Rule
          </Group>
        }
      />
      <PageBody>
        <PageSection title="Description">
          <DescribeForm draft={draft} disabled={false} onChange={onChange} />
        </PageSection>
        <PageSection title="Filter">
          <FilterForm projectId={projectId} draft={draft} disabled={false} onChange={onChange} />
        </PageSection>
        <PageSection title="Try it on the past">
          <TryDescription projectId={projectId} draft={draft} />
        </PageSection>
        <PageSection title="Save">
          <Refused error={create.error} />
          <Group gap="sm">
            <Button
              loading={create.isPending}
              disabled={!isTryable(draft) || draft.name.trim() === ""}
              onClick={() => create.mutate({ projectId, ...sentOf(draft) })}
            >
              Create Rule
            </Button>
            <Text size="xs" c="dimmed">
              {draft.asks === 0
                ? "It is on from the start, for every new conversation."
                : "It is on from the start, and asks the connected model about every new conversation that passes the filter."}
            </Text>
          </Group>
        </PageSection>
      </PageBody>
    </>
  );
}
