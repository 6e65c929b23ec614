"use client";
import { Table } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { ListFoot } from "@/app/_components/data-table/list-foot";
import { RowLink } from "@/app/_components/data-table/row-link";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { useRowKeys } from "@/app/_components/data-table/use-row-keys";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatPercent } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import classes from "./finding-page.module.css";
import { occurrencesInput } from "./occurrences-input";
import { turnHref } from "./why";

/** Every conversation with the Finding, linked to the turn that shows it. */
export function Occurrences({ projectId, findingId, count }: { projectId: string; findingId: string; count: number }) {
  const trpc = useTRPC();
  const box = useRef<HTMLElement>(null);
  const list = useInfiniteQuery(
    trpc.findings.occurrences.infiniteQueryOptions(occurrencesInput(projectId, findingId), nextPage),
  );
  const rows = list.data?.pages.flatMap((page) => page.occurrences) ?? [];
  useRowKeys(box, rows.length);
  return (
    <section ref={box}>
      <h2 className={classes.heading}>Conversations that show it ({formatCount(count)})</h2>
      {list.error && rows.length === 0 ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
      ) : list.isPending ? (
        <TableSkeleton rows={6} label="Loading occurrences" />
      ) : rows.length === 0 ? (
        <p className={classes.quiet}>None is left.</p>
      ) : (
        <>
          <Table.ScrollContainer minWidth={560}>
            <Table aria-label="Occurrences" layout="fixed">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th w={104}>When</Table.Th>
                  <Table.Th>Evidence</Table.Th>
                  <Table.Th w={180}>Conversation</Table.Th>
                  <Table.Th w={84} ta="end">
                    Sure
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map((row, index) => (
                  <Table.Tr key={row.id}>
                    <Table.Td>
                      <Ago at={row.detectedAt} />
                    </Table.Td>
                    <Table.Td className="clip">
                      <RowLink href={turnHref(projectId, row.conversationId, row.evidence[0])} index={index}>
                        {row.evidence[0]?.quote || row.summary}
                      </RowLink>
                    </Table.Td>
                    <Table.Td className="mono clip" title={row.conversationExternalId ?? row.conversationId}>
                      {row.conversationExternalId ?? row.conversationId}
                    </Table.Td>
                    <Table.Td ta="end" className="tabular">
                      {formatPercent(row.confidence)}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          <ListFoot shown={rows.length} what="conversation" list={list} />
        </>
      )}
    </section>
  );
}
