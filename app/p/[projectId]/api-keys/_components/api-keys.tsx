"use client";
import { Button, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "@/app/_components/ago";
import { ListFoot } from "@/app/_components/data-table/list-foot";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { Dot } from "@/app/_components/dot";
import { EmptyState } from "@/app/_components/empty-state";
import { ErrorState } from "@/app/_components/error-state";
import { PageHeader } from "@/app/_components/page-header";
import { StaleNote } from "@/app/_components/stale-note";
import { useTRPC } from "@/app/_lib/trpc";
import type { ApiKey } from "@/server/services/api-keys/schemas";
import classes from "./api-keys.module.css";
import { NewKey } from "./new-key";
import { RevokeKey } from "./revoke-key";

const STATUS = {
  active: { word: "Active", color: "var(--state-ok)", hollow: false },
  expired: { word: "Expired", color: "var(--severity-info)", hollow: true },
  revoked: { word: "Revoked", color: "var(--severity-critical)", hollow: true },
} as const;

export function ApiKeys({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [creating, create] = useDisclosure(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const list = useInfiniteQuery(
    trpc.apiKeys.list.infiniteQueryOptions(
      { projectId, limit: 100 },
      { getNextPageParam: (page) => page.pagination.nextCursor ?? undefined },
    ),
  );
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
      <div className={classes.body}>
        {keys.length > 0 ? (
          <>
            <StaleNote error={list.error} dataUpdatedAt={list.dataUpdatedAt} onRetry={() => void list.refetch()} />
            <Table.ScrollContainer minWidth={880}>
              <Table className={classes.table} aria-label="API keys">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Status</Table.Th>
                    <Table.Th>Key</Table.Th>
                    <Table.Th>May</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th>Expires</Table.Th>
                    <Table.Th>Created</Table.Th>
                    <Table.Th>
                      <span className={classes.hidden}>Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {keys.map((key) => (
                    <Table.Tr key={key.id} data-off={key.status !== "active" || undefined}>
                      <Table.Td fw={500}>{key.name}</Table.Td>
                      <Table.Td>
                        <Dot color={STATUS[key.status].color} hollow={STATUS[key.status].hollow}>
                          {STATUS[key.status].word}
                        </Dot>
                      </Table.Td>
                      <Table.Td className="mono" title={key.id}>
                        whet_…{key.hint}
                      </Table.Td>
                      <Table.Td>
                        <span className={classes.capabilities}>{key.capabilities.join(", ") || "nothing"}</span>
                      </Table.Td>
                      <Table.Td>
                        {key.lastUsedAt === null ? (
                          <Text c="dimmed" size="sm">
                            Never
                          </Text>
                        ) : (
                          <Ago at={key.lastUsedAt} />
                        )}
                      </Table.Td>
                      <Table.Td>
                        {key.expiresAt === null ? (
                          <Text c="dimmed" size="sm">
                            Never
                          </Text>
                        ) : (
                          <Ago at={key.expiresAt} />
                        )}
                      </Table.Td>
                      <Table.Td>
                        <Ago at={key.createdAt} />
                      </Table.Td>
                      <Table.Td ta="end">
                        {key.status === "revoked" ? null : (
                          <Button
                            variant="default"
                            size="compact-xs"
                            onClick={() => setRevoking(key)}
                            aria-label={`Revoke ${key.name}`}
                          >
                            Revoke…
                          </Button>
                        )}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            <ListFoot shown={keys.length} what="key" list={list} />
          </>
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
        ) : list.isPending ? (
          <TableSkeleton rows={4} label="Loading API keys" />
        ) : (
          <EmptyState
            icon={<IconKey size={32} stroke={1.5} aria-hidden />}
            title="No API keys"
            action={<Button onClick={create.open}>New key</Button>}
          >
            A key lets a program send telemetry to this project or read from it, and nothing beyond what you tick.
          </EmptyState>
        )}
      </div>
      <NewKey projectId={projectId} opened={creating} onClose={create.close} />
      <RevokeKey projectId={projectId} apiKey={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}
