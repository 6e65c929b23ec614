"use client";
import { Button } from "@mantine/core";
import { IconBell, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { editAndDelete } from "@/app/_components/data-table/edit-and-delete";
import { ListPage } from "@/app/_components/data-table/list-page";
import { useListView } from "@/app/_components/data-table/use-list-view";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import type { Alert } from "@/server/services/notifications/alerts/schemas";
import { useMay } from "../../_components/access/membership";
import { useWebhooks } from "../../integrations/_components/use-webhooks";
import { AlertForm } from "./alert-form";
import { AlertPeek } from "./alert-peek";
import { alertColumns } from "./columns";
import { DeleteAlert } from "./delete-alert";
import { newAlertParsers } from "./view";

/** What is watched, where it stands, and when it fired. */
export function Alerts({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("diagnostics:write");
  const [filled, setFilled] = useQueryStates(newAlertParsers, { history: "replace" });
  const [edited, setEdited] = useState<Alert | null>(null);
  const [deleted, setDeleted] = useState<Alert | null>(null);
  const [, setView] = useListView();
  const list = useInfiniteQuery({
    ...trpc.alerts.list.infiniteQueryOptions({ projectId }, nextPage),
    refetchInterval: pollList(),
  });
  const { webhooks, connectionName } = useWebhooks(projectId);
  const channelsOf = ({ connectionIds, mailMembers }: Alert) =>
    [...connectionIds.map(connectionName), ...(mailMembers ? ["Members by e-mail"] : [])].join(", ") || "Nobody";
  const actions = may ? editAndDelete<Alert>(setEdited, setDeleted) : [];
  const add = may ? (
    <Button onClick={() => void setFilled({ new: true })} leftSection={<IconPlus size={14} aria-hidden />}>
      New alert
    </Button>
  ) : null;
  const isNew = may && filled.new;
  return (
    <ListPage
      title="Alerts"
      buttons={add}
      list={list}
      what="alert"
      columns={alertColumns({
        projectId,
        channelsOf,
        change: may ? { onEdit: setEdited, onDelete: setDeleted } : undefined,
      })}
      rows={list.data?.pages.flatMap((page) => page.alerts) ?? []}
      rowId={({ id }) => id}
      rowName={({ name }) => name}
      rowHref={({ id }) => `?peek=${encodeURIComponent(id)}`}
      linkPeeks
      dimmed={({ enabled }) => !enabled}
      minWidth={340}
      actions={actions}
      peek={({ id, row, close, act }) => (
        <AlertPeek
          key={id}
          projectId={projectId}
          alertId={id}
          listed={row}
          channelsOf={channelsOf}
          actions={actions}
          onAct={act}
          onClose={close}
        />
      )}
      empty={
        <EmptyState icon={IconBell} title="No alerts yet" action={add}>
          An alert watches what the project or one of its users costs, how often and how slowly its models answer, how
          often a Finding occurs, or whether telemetry still arrives. It sends one message when a limit is reached and
          one when that is over, to a webhook, to Slack or by e-mail. Example: “Error rate of model calls, fires at 5%”.
        </EmptyState>
      }
    >
      <AlertForm
        projectId={projectId}
        opened={isNew || edited !== null}
        alert={edited}
        filled={filled}
        webhooks={webhooks}
        sendsMail={list.data?.pages[0]?.sendsMail ?? false}
        onClose={() => {
          setEdited(null);
          void setFilled(null);
        }}
      />
      <DeleteAlert
        projectId={projectId}
        alert={deleted}
        onDeleted={() => void setView({ peek: null })}
        onClose={() => setDeleted(null)}
      />
    </ListPage>
  );
}
