"use client";
import { Button, Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ListFrame, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { DeletionStatus, deletionProgress, isOpen, requestedBy, SCOPE_WORDS } from "./deletion-words";
import { deletionsInput } from "./view";

const BUSY_MS = 2000;
const IDLE_POLL_MS = 30_000;
const COLUMNS = [
  { label: "When" },
  { label: "What" },
  { label: "Status" },
  { label: "Gone", roomy: true },
  { label: "By", roomy: true },
  { label: null },
];

type Props = { projectId: string; openId: string | null; onOpen: (deletionId: string) => void };

export function Deletions({ projectId, openId, onOpen }: Props) {
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
    <ListFrame
      label="Deletions"
      what="deletion"
      columns={COLUMNS}
      minWidth={340}
      list={list}
      count={deletions.length}
      empty={
        <Text px="md" size="sm">
          Nothing was deleted yet. Each deletion leaves a receipt here: who asked, when, and how much of what is gone;
          never what was in it.
        </Text>
      }
    >
      {deletions.map((deletion, index) => (
        <ListRow key={deletion.id} index={index} open={openId === deletion.id} onOpen={() => onOpen(deletion.id)}>
          <Table.Td>
            <Ago at={deletion.createdAt} />
          </Table.Td>
          <Table.Td>
            {SCOPE_WORDS[deletion.scope]}
            <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
              {deletionProgress(deletion)}, by {requestedBy(deletion)}
            </Text>
          </Table.Td>
          <Table.Td>
            <DeletionStatus deletion={deletion} />
          </Table.Td>
          <Table.Td className="tabular" {...ROOMY}>
            {deletionProgress(deletion)}
          </Table.Td>
          <Table.Td maw={260} {...ROOMY}>
            <div className="clip" title={requestedBy(deletion)}>
              {requestedBy(deletion)}
            </div>
          </Table.Td>
          <Table.Td ta="end">
            <Button
              variant="default"
              size="compact-xs"
              onClick={() => onOpen(deletion.id)}
              aria-label={`Receipt: ${SCOPE_WORDS[deletion.scope]}`}
            >
              Receipt
            </Button>
          </Table.Td>
        </ListRow>
      ))}
    </ListFrame>
  );
}
