"use client";
import { Button, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Deletion } from "@/server/services/deletion/schemas";
import { DeletionStatus, deletionProgress, isOpen, requestedBy, SCOPE_WORDS } from "./deletion-words";
import { deletionsInput } from "./view";

const BUSY_MS = 2000;
const IDLE_POLL_MS = 30_000;

const columnsOf = (onOpen: (deletionId: string) => void): ListColumn<Deletion>[] => [
  {
    id: "when",
    header: "When",
    accessorFn: ({ createdAt }) => createdAt,
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
  {
    id: "what",
    header: "What",
    accessorFn: ({ scope }) => SCOPE_WORDS[scope],
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        {SCOPE_WORDS[original.scope]}
        <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
          {deletionProgress(original)}, by {requestedBy(original)}
        </Text>
      </>
    ),
  },
  { id: "status", header: "Status", cell: ({ row }) => <DeletionStatus deletion={row.original} /> },
  {
    id: "gone",
    header: "Deleted",
    meta: { roomy: true },
    cell: ({ row }) => <span className="tabular">{deletionProgress(row.original)}</span>,
  },
  {
    id: "by",
    header: "By",
    accessorFn: requestedBy,
    meta: { roomy: true },
    cell: ({ row }) => requestedBy(row.original),
  },
  {
    id: "actions",
    header: "",
    meta: { controls: true },
    cell: ({ row: { original } }) => (
      <Button
        variant="default"
        size="compact-xs"
        onClick={() => onOpen(original.id)}
        aria-label={`Receipt: ${SCOPE_WORDS[original.scope]}`}
      >
        Receipt
      </Button>
    ),
  },
];

type Props = { projectId: string; onOpen: (deletionId: string) => void };

export function Deletions({ projectId, onOpen }: Props) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.deletions.list.infiniteQueryOptions(deletionsInput(projectId), {
      ...nextPage,
      refetchInterval: ({ state }) =>
        state.data?.pages.some((page) => page.deletions.some(isOpen)) ? BUSY_MS : IDLE_POLL_MS,
    }),
  );
  const deletions = list.data?.pages.flatMap((page) => page.deletions) ?? [];
  return (
    <DataList
      embedded
      list={list}
      name="Deletions"
      what="deletion"
      columns={columnsOf(onOpen)}
      rows={deletions}
      rowId={({ id }) => id}
      rowName={({ scope }) => SCOPE_WORDS[scope]}
      onOpen={({ id }) => onOpen(id)}
      minWidth={720}
      empty={
        <Text px="md" size="sm">
          Nothing deleted yet. Each deletion leaves a receipt here: who requested it, when, and how much was deleted,
          but never the content.
        </Text>
      }
    />
  );
}
