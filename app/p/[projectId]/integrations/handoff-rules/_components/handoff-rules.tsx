"use client";
import { Anchor, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPlus, IconTicket } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { DataList } from "@/app/_components/data-table/data-list";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { HandoffRule } from "@/server/services/diagnostics/work-items/schemas";
import { useMay } from "../../../_components/access/membership";
import { useTrackers } from "../../../_components/work-items/use-trackers";
import { IntegrationTabs } from "../../_components/integration-tabs";
import { handoffRuleColumns } from "./columns";
import { HandoffRuleForm } from "./handoff-rule-form";

/** Which new Findings become tickets automatically. */
export function HandoffRules({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const mayChange = useMay("connections:manage");
  const [edited, setEdited] = useState<HandoffRule | "new" | null>(null);
  const list = useInfiniteQuery(trpc.handoffRules.list.infiniteQueryOptions({ projectId }, nextPage));
  const { query, trackers, options, nameOf } = useTrackers(projectId);
  const rules = useQuery(trpc.rules.list.queryOptions({ projectId })).data?.rules ?? [];
  const remove = useRemove(projectId);
  const columns = handoffRuleColumns({
    projectId,
    connectionName: nameOf,
    ruleName: (id) => rules.find((rule) => rule.id === id)?.name ?? id,
    change: mayChange ? { onEdit: setEdited, onDelete: remove } : undefined,
  });
  const add =
    mayChange && options.length > 0 ? (
      <Button onClick={() => setEdited("new")} leftSection={<IconPlus size={14} aria-hidden />}>
        Add handoff rule
      </Button>
    ) : undefined;
  return (
    <>
      <PageHeader title="Handoff rules" aside={add} />
      <IntegrationTabs projectId={projectId} value="handoff-rules" />
      <DataList
        list={list}
        name="Handoff rules"
        what="handoff rule"
        columns={columns}
        rows={list.data?.pages.flatMap((page) => page.handoffRules) ?? []}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        dimmed={({ enabled }) => !enabled}
        minWidth={340}
        empty={
          <NoRules projectId={projectId} action={add} lacksTracker={query.data !== undefined && options.length === 0} />
        }
      />
      <HandoffRuleForm
        projectId={projectId}
        opened={edited !== null}
        rule={edited === "new" ? null : edited}
        trackers={trackers}
        trackerOptions={options}
        rules={rules.map(({ id, name }) => ({ value: id, label: name }))}
        onClose={() => setEdited(null)}
      />
    </>
  );
}

/** Returns a function that deletes a rule and offers to create it again. */
function useRemove(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer } = useUndo();
  const refresh = () => void queries.invalidateQueries({ queryKey: trpc.handoffRules.list.pathKey() });
  const create = useMutation(trpc.handoffRules.create.mutationOptions({ onSuccess: refresh }));
  const remove = useMutation(trpc.handoffRules.delete.mutationOptions({ onSuccess: refresh }));
  return ({ id, createdAt: _, updatedAt: __, usedToday: ___, ...rule }: HandoffRule) =>
    remove.mutate(
      { projectId, handoffRuleId: id },
      {
        onSuccess: () => offer(`Deleted “${rule.name}”`, () => create.mutate({ projectId, ...rule })),
        onError: (error) => notifications.show({ message: problemOf(error).detail, color: "red" }),
      },
    );
}

type EmptyProps = { projectId: string; action: React.ReactNode; lacksTracker: boolean };

const NoRules = ({ projectId, action, lacksTracker }: EmptyProps) => (
  <EmptyState icon={IconTicket} title="No handoff rules" action={action}>
    A handoff rule creates tickets for new Findings of a severity and a number of conversations that you choose, up to a
    daily limit.
    {lacksTracker ? (
      <>
        {" "}
        It needs a connection to an issue tracker with a token:{" "}
        <Anchor component={Link} href={`/p/${encodeURIComponent(projectId)}/integrations`}>
          add one
        </Anchor>{" "}
        first.
      </>
    ) : null}
  </EmptyState>
);
