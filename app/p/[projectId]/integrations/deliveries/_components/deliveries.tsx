"use client";
import { Anchor, Text } from "@mantine/core";
import { IconRefresh, IconSend } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListAction, ListColumn } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { InlineCode } from "@/app/_components/values/inline-code";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Delivery } from "@/server/services/notifications/schemas";
import { useMay } from "../../../_components/access/membership";
import { alertHref } from "../../../alerts/_components/view";
import { IntegrationTabs } from "../../_components/integration-tabs";
import { NOTICE_WORDS } from "../../notifications/_components/notice-words";

/** The log is refetched while a message is queued. */
const LIVE_MS = 3_000;

/** The messages sent to webhooks, and their outcome. */
export function Deliveries({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery({
    ...trpc.deliveries.list.infiniteQueryOptions({ projectId }, nextPage),
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.deliveries.some((one) => one.state === "queued")) ? LIVE_MS : false,
  });
  return (
    <>
      <PageHeader title="Deliveries" />
      <IntegrationTabs projectId={projectId} value="deliveries" />
      <DataList
        list={list}
        name="Deliveries"
        what="delivery"
        columns={columnsOf(projectId)}
        rows={list.data?.pages.flatMap((page) => page.deliveries) ?? []}
        rowId={({ id }) => id}
        rowName={nameOf}
        actions={useActions(projectId)}
        minWidth={340}
        empty={
          <EmptyState icon={IconSend} title="Nothing sent yet">
            Messages to webhooks about Findings and alerts appear here with their outcome, and can be sent again.
          </EmptyState>
        }
      />
    </>
  );
}

const nameOf = ({ noticeCount, notices: [first], alert }: Delivery) =>
  alert?.name ?? (noticeCount === 1 && first ? first.title.replaceAll("`", "") : `Digest of ${noticeCount}`);

function useActions(projectId: string): ListAction<Delivery>[] {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { mutateAsync } = useMutation(trpc.deliveries.replay.mutationOptions());
  if (!useMay("diagnostics:write")) return [];
  return [
    {
      id: "replay",
      label: "Send again",
      key: "s",
      icon: <IconRefresh size={14} aria-hidden />,
      applies: ({ state }) => state !== "queued",
      run: async ({ rows }) => {
        for (const { id } of rows) await mutateAsync({ projectId, deliveryId: id });
        await queries.invalidateQueries({ queryKey: trpc.deliveries.list.pathKey() });
        return { said: rows.length === 1 ? `Queued “${nameOf(rows[0]!)}” again` : `Queued ${rows.length} again` };
      },
    },
  ];
}

const STATES: Record<Delivery["state"], { word: string; color: string }> = {
  queued: { word: "Queued", color: "var(--mantine-color-dimmed)" },
  delivered: { word: "Delivered", color: "var(--state-ok)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};

const State = ({ delivery: { state, attempts, error } }: { delivery: Delivery }) => (
  <>
    <Dot color={STATES[state].color}>{STATES[state].word}</Dot>
    {error ? (
      <Text size="xs">
        {error} {attempts > 1 ? `(${attempts} attempts)` : null}
      </Text>
    ) : null}
  </>
);

const columnsOf = (projectId: string): ListColumn<Delivery>[] => [
  {
    id: "about",
    header: "About",
    cell: ({ row: { original } }) => {
      const { noticeCount, notices, alert } = original;
      const [first] = notices;
      return (
        <>
          {alert ? (
            <>
              {alert.event === "fired" ? "Firing" : "Cleared"}:{" "}
              <Anchor component={Link} fz="inherit" href={alertHref(projectId, alert.alertId)}>
                {alert.name}
              </Anchor>
            </>
          ) : first && noticeCount === 1 ? (
            <>
              {NOTICE_WORDS[first.kind]}:{" "}
              <Anchor
                component={Link}
                fz="inherit"
                href={`/p/${encodeURIComponent(projectId)}/findings/${first.findingId}`}
              >
                <InlineCode text={first.title} />
              </Anchor>
            </>
          ) : (
            nameOf(original)
          )}
          <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
            {original.connectionName} · <Ago at={original.createdAt} /> · <State delivery={original} />
          </Text>
        </>
      );
    },
  },
  {
    id: "connection",
    header: "Webhook",
    meta: { roomy: true, width: "12rem" },
    cell: ({ row }) => row.original.connectionName,
  },
  {
    id: "state",
    header: "State",
    meta: { roomy: true, width: "20rem" },
    cell: ({ row }) => <State delivery={row.original} />,
  },
  {
    id: "at",
    header: "Queued",
    meta: { roomy: true, width: "9rem" },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];
