"use client";
import { Button, Text } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import type { ListColumn } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { Ago, AgoOr } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { useNewDialog } from "@/app/_lib/use-new-dialog";
import type { ApiKey } from "@/server/services/api-keys/schemas";
import { ConnectAgent } from "./connect-agent";
import { NewKey } from "./new-key";
import { RevokeKey } from "./revoke-key";

const STATUS = {
  active: { word: "Active", color: "var(--state-ok)", hollow: false },
  expired: { word: "Expired", color: "var(--severity-info)", hollow: true },
  revoked: { word: "Revoked", color: "var(--severity-critical)", hollow: true },
} as const;

const capabilitiesOf = ({ capabilities }: ApiKey) => capabilities.join(", ") || "nothing";

const columnsOf = (onRevoke: (key: ApiKey) => void): ListColumn<ApiKey>[] => [
  {
    id: "name",
    header: "Name",
    accessorFn: (key) => key.name,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <b>{original.name}</b>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {capabilitiesOf(original)}
        </Text>
      </>
    ),
  },
  {
    id: "status",
    header: "Status",
    accessorFn: (key) => STATUS[key.status].word,
    cell: ({ row: { original } }) => (
      <Dot color={STATUS[original.status].color} hollow={STATUS[original.status].hollow}>
        {STATUS[original.status].word}
      </Dot>
    ),
  },
  {
    id: "key",
    header: "Key",
    meta: { roomy: true },
    cell: ({ row }) => (
      <span className="mono" title={row.original.id} style={{ whiteSpace: "nowrap" }}>
        whet_…{row.original.hint}
      </span>
    ),
  },
  {
    id: "may",
    header: "Permissions",
    meta: { roomy: true },
    cell: ({ row }) => (
      <Text size="xs" maw="26rem">
        {capabilitiesOf(row.original)}
      </Text>
    ),
  },
  {
    id: "used",
    header: "Last used",
    accessorFn: (key) => key.lastUsedAt ?? undefined,
    meta: { roomy: true },
    cell: ({ row }) => <AgoOr at={row.original.lastUsedAt} otherwise="Never" />,
  },
  {
    id: "expires",
    header: "Expires",
    accessorFn: (key) => key.expiresAt ?? undefined,
    meta: { roomy: true },
    cell: ({ row }) => <AgoOr at={row.original.expiresAt} otherwise="Never" />,
  },
  {
    id: "created",
    header: "Created",
    accessorFn: (key) => key.createdAt,
    meta: { roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
  {
    id: "actions",
    header: "",
    meta: { controls: true },
    cell: ({ row: { original } }) =>
      original.status === "revoked" ? null : (
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => onRevoke(original)}
          aria-label={`Revoke ${original.name}`}
        >
          Revoke…
        </Button>
      ),
  },
];

export function ApiKeys({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [creating, create] = useNewDialog();
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const list = useInfiniteQuery(trpc.apiKeys.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  const keys = list.data?.pages.flatMap((page) => page.apiKeys) ?? [];
  const columns = columnsOf(setRevoking);
  return (
    <ListPage
      title="API keys"
      buttons={
        <>
          <ConnectAgent />
          <Button onClick={create.open} leftSection={<IconPlus size={14} aria-hidden />}>
            New key
          </Button>
        </>
      }
      list={list}
      what="key"
      columns={columns}
      rows={keys}
      rowId={(key) => key.id}
      rowName={(key) => key.name}
      minWidth={860}
      dimmed={(key) => key.status !== "active"}
      empty={
        <EmptyState icon={IconKey} title="No API keys" action={<Button onClick={create.open}>New key</Button>}>
          A key lets a program send telemetry to this project or read from it, with only the permissions you select.
        </EmptyState>
      }
    >
      <NewKey projectId={projectId} opened={creating} onClose={create.close} />
      <RevokeKey projectId={projectId} apiKey={revoking} onClose={() => setRevoking(null)} />
    </ListPage>
  );
}
