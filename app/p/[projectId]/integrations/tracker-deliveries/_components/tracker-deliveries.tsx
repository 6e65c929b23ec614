"use client";
import { Text } from "@mantine/core";
import { IconRefresh, IconWebhook } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListAction, ListColumn } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { useMay } from "../../../_components/access/membership";
import { useTrackers } from "../../../_components/work-items/use-trackers";
import { IntegrationTabs } from "../../_components/integration-tabs";
import { DeliveryState, type TrackerDelivery } from "./delivery-state";

const LIVE_MS = 10_000;

/** What trackers reported through their webhooks, and the outcome. */
export function TrackerDeliveries({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const { nameOf } = useTrackers(projectId);
  const list = useInfiniteQuery({
    ...trpc.trackerDeliveries.list.infiniteQueryOptions({ projectId }, nextPage),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIVE_MS : false),
  });
  return (
    <>
      <PageHeader title="Tracker deliveries" />
      <IntegrationTabs projectId={projectId} value="tracker-deliveries" />
      <DataList
        list={list}
        name="Tracker deliveries"
        what="delivery"
        columns={columnsOf(nameOf)}
        rows={list.data?.pages.flatMap((page) => page.trackerDeliveries) ?? []}
        rowId={({ id }) => id}
        rowName={whatOf}
        actions={useActions(projectId)}
        minWidth={340}
        empty={
          <EmptyState icon={IconWebhook} title="No delivery yet">
            Events from a tracker’s webhook appear here for 30 days and can be processed again. Create the webhook in
            its connection’s menu.
          </EmptyState>
        }
      />
    </>
  );
}

const ticketOf = ({ destination, externalId }: TrackerDelivery) =>
  [destination, externalId].filter((part) => part !== null).join(destination?.includes("/") ? "#" : " ") || "no ticket";
const whatOf = (delivery: TrackerDelivery) => `${delivery.event} of ${ticketOf(delivery)}`;

function useActions(projectId: string): ListAction<TrackerDelivery>[] {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { mutateAsync } = useMutation(trpc.trackerDeliveries.replay.mutationOptions());
  if (!useMay("diagnostics:write")) return [];
  return [
    {
      id: "replay",
      label: "Process again",
      key: "s",
      icon: <IconRefresh size={14} aria-hidden />,
      run: async ({ rows }) => {
        for (const { id } of rows) await mutateAsync({ projectId, trackerDeliveryId: id });
        await queries.invalidateQueries({ queryKey: trpc.trackerDeliveries.pathKey() });
        return { said: `Processed ${rows.length === 1 ? whatOf(rows[0]!) : plural(rows.length, "delivery")} again` };
      },
    },
  ];
}

const columnsOf = (nameOf: (id: string) => string): ListColumn<TrackerDelivery>[] => [
  {
    id: "event",
    header: "Event",
    cell: ({ row: { original } }) => (
      <>
        <span className="mono">{original.event}</span>
        <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
          {nameOf(original.connectionId)} · {ticketOf(original)} · <Ago at={original.receivedAt} /> ·{" "}
          <DeliveryState delivery={original} />
        </Text>
      </>
    ),
  },
  {
    id: "connection",
    header: "Tracker",
    meta: { roomy: true, width: "14rem" },
    cell: ({ row }) => nameOf(row.original.connectionId),
  },
  {
    id: "ticket",
    header: "Ticket",
    meta: { roomy: true, width: "14rem" },
    cell: ({ row }) => ticketOf(row.original),
  },
  {
    id: "state",
    header: "State",
    meta: { roomy: true, width: "16rem" },
    cell: ({ row }) => <DeliveryState delivery={row.original} />,
  },
  {
    id: "at",
    header: "Received",
    meta: { roomy: true, width: "9rem" },
    cell: ({ row }) => <Ago at={row.original.receivedAt} />,
  },
];
