"use client";
import { Anchor, Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconBell, IconPlus } from "@tabler/icons-react";
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
import type { NotificationRule } from "@/server/services/notifications/schemas";
import { useMay } from "../../../_components/access/membership";
import { IntegrationTabs } from "../../_components/integration-tabs";
import { useWebhooks } from "../../_components/use-webhooks";
import { notificationColumns } from "./columns";
import { NotificationForm } from "./notification-form";

/** Which Findings are announced, and to which webhook. */
export function Notifications({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const mayChange = useMay("diagnostics:write");
  const [edited, setEdited] = useState<NotificationRule | "new" | null>(null);
  const list = useInfiniteQuery(trpc.notificationRules.list.infiniteQueryOptions({ projectId }, nextPage));
  const { webhooks, connectionName } = useWebhooks(projectId);
  const rules = useQuery(trpc.rules.list.queryOptions({ projectId })).data?.rules ?? [];
  const remove = useRemove(projectId);
  const columns = notificationColumns({
    projectId,
    connectionName,
    ruleName: (id) => rules.find((rule) => rule.id === id)?.name ?? id,
    change: mayChange ? { onEdit: setEdited, onDelete: remove } : undefined,
  });
  const add =
    mayChange && webhooks.length > 0 ? (
      <Button onClick={() => setEdited("new")} leftSection={<IconPlus size={14} aria-hidden />}>
        Add notification
      </Button>
    ) : undefined;
  return (
    <>
      <PageHeader title="Notifications" aside={add} />
      <IntegrationTabs projectId={projectId} value="notifications" />
      <DataList
        list={list}
        name="Notifications"
        what="notification"
        columns={columns}
        rows={list.data?.pages.flatMap((page) => page.notificationRules) ?? []}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        dimmed={({ enabled }) => !enabled}
        minWidth={340}
        empty={<NoNotifications projectId={projectId} action={add} hasWebhook={webhooks.length > 0} />}
      />
      <NotificationForm
        projectId={projectId}
        opened={edited !== null}
        rule={edited === "new" ? null : edited}
        webhooks={webhooks}
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
  const refresh = () => void queries.invalidateQueries({ queryKey: trpc.notificationRules.list.pathKey() });
  const create = useMutation(trpc.notificationRules.create.mutationOptions({ onSuccess: refresh }));
  const remove = useMutation(trpc.notificationRules.delete.mutationOptions({ onSuccess: refresh }));
  return ({ id, createdAt: _, updatedAt: __, ...rule }: NotificationRule) =>
    remove.mutate(
      { projectId, notificationRuleId: id },
      {
        onSuccess: () => offer(`Deleted “${rule.name}”`, () => create.mutate({ projectId, ...rule })),
        onError: (error) => notifications.show({ message: problemOf(error).detail, color: "red" }),
      },
    );
}

type EmptyProps = { projectId: string; action: React.ReactNode; hasWebhook: boolean };

const NoNotifications = ({ projectId, action, hasWebhook }: EmptyProps) => (
  <EmptyState icon={IconBell} title="No notifications" action={action}>
    A notification tells a webhook or a Slack channel about Findings that are new, have regressed or are escalating:
    once each, or as a digest when there are many.
    {hasWebhook ? null : (
      <>
        {" "}
        It needs a connection of kind webhook:{" "}
        <Anchor component={Link} href={`/p/${encodeURIComponent(projectId)}/integrations`}>
          add one
        </Anchor>{" "}
        first.
      </>
    )}
  </EmptyState>
);
