"use client";
import { Button, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ListFrame, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago, AgoOr } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { ApiKey } from "@/server/services/api-keys/schemas";
import { NewKey } from "./new-key";
import { RevokeKey } from "./revoke-key";

const STATUS = {
  active: { word: "Active", color: "var(--state-ok)", hollow: false },
  expired: { word: "Expired", color: "var(--severity-info)", hollow: true },
  revoked: { word: "Revoked", color: "var(--severity-critical)", hollow: true },
} as const;

const capabilitiesOf = ({ capabilities }: ApiKey) => capabilities.join(", ") || "nothing";

const COLUMNS = [
  { label: "Name" },
  { label: "Status" },
  { label: "Key", roomy: true },
  { label: "May", roomy: true },
  { label: "Last used", roomy: true },
  { label: "Expires", roomy: true },
  { label: "Created", roomy: true },
  { label: null },
];

export function ApiKeys({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [creating, create] = useDisclosure(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const list = useInfiniteQuery(trpc.apiKeys.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  const keys = list.data?.pages.flatMap((page) => page.apiKeys) ?? [];
  return (
    <>
      <PageHeader
        title="API keys"
        aside={
          <Button onClick={create.open} leftSection={<IconPlus size={14} aria-hidden />}>
            New key
          </Button>
        }
      />
      <PageBody>
        <ListFrame
          label="API keys"
          what="key"
          columns={COLUMNS}
          minWidth={340}
          list={list}
          count={keys.length}
          empty={
            <EmptyState
              icon={<IconKey size={32} stroke={1.5} aria-hidden />}
              title="No API keys"
              action={<Button onClick={create.open}>New key</Button>}
            >
              A key lets a program send telemetry to this project or read from it, and nothing beyond what you tick.
            </EmptyState>
          }
        >
          {keys.map((key, index) => (
            <KeyRow key={key.id} apiKey={key} index={index} onRevoke={() => setRevoking(key)} />
          ))}
        </ListFrame>
      </PageBody>
      <NewKey projectId={projectId} opened={creating} onClose={create.close} />
      <RevokeKey projectId={projectId} apiKey={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

type KeyRowProps = { apiKey: ApiKey; index: number; onRevoke: () => void };

const KeyRow = ({ apiKey, index, onRevoke }: KeyRowProps) => (
  <ListRow index={index} off={apiKey.status !== "active"}>
    <Table.Td fw={500}>
      {apiKey.name}
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {capabilitiesOf(apiKey)}
      </Text>
    </Table.Td>
    <Table.Td>
      <Dot color={STATUS[apiKey.status].color} hollow={STATUS[apiKey.status].hollow}>
        {STATUS[apiKey.status].word}
      </Dot>
    </Table.Td>
    <Table.Td className="mono" title={apiKey.id} style={{ whiteSpace: "nowrap" }} {...ROOMY}>
      whet_…{apiKey.hint}
    </Table.Td>
    <Table.Td {...ROOMY}>
      <Text size="xs" maw="26rem">
        {capabilitiesOf(apiKey)}
      </Text>
    </Table.Td>
    <Table.Td {...ROOMY}>
      <AgoOr at={apiKey.lastUsedAt} otherwise="Never" />
    </Table.Td>
    <Table.Td {...ROOMY}>
      <AgoOr at={apiKey.expiresAt} otherwise="Never" />
    </Table.Td>
    <Table.Td {...ROOMY}>
      <Ago at={apiKey.createdAt} />
    </Table.Td>
    <Table.Td ta="end">
      {apiKey.status === "revoked" ? null : (
        <Button variant="default" size="compact-xs" onClick={onRevoke} aria-label={`Revoke ${apiKey.name}`}>
          Revoke…
        </Button>
      )}
    </Table.Td>
  </ListRow>
);
