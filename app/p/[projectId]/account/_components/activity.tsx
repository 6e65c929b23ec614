"use client";
import { Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { UNKNOWN } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { doorWords } from "../../_components/audit/audit-words";
import { activityWords } from "./activity-words";
import { ACTIVITY_INPUT } from "./inputs";

type Entry = RouterOutputs["account"]["activity"]["entries"][number];

const COLUMNS: ListColumn<Entry>[] = [
  { id: "when", header: "When", cell: ({ row }) => <Ago at={row.original.createdAt} /> },
  {
    id: "what",
    header: "What",
    meta: { link: true },
    cell: ({ row: { original } }) => {
      const { said, more, refused } = activityWords(original);
      return (
        <>
          {refused ? <Dot color="var(--severity-high)">{said}</Dot> : said}
          {more ? (
            <Text size="xs" c="dimmed" display={{ base: "block", sm: "inline" }} ml={{ base: 0, sm: 6 }}>
              {more}
            </Text>
          ) : null}
          <Text size="xs" c="dimmed" className="mono" hiddenFrom="sm">
            {original.address}
          </Text>
        </>
      );
    },
  },
  {
    id: "address",
    header: "Address",
    meta: { roomy: true },
    cell: ({ row }) => <span className="mono">{row.original.address ?? UNKNOWN}</span>,
  },
  { id: "door", header: "Via", meta: { roomy: true }, cell: ({ row }) => doorWords(row.original.door) },
];

/** Sign-ins and changes of the account, so that its owner can spot those that they did not make. */
export function Activity() {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.account.activity.infiniteQueryOptions(ACTIVITY_INPUT, nextPage));
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <DataList
      embedded
      list={list}
      name="Activity"
      what="event"
      columns={COLUMNS}
      rows={entries}
      rowId={({ id }) => id}
      rowName={(entry) => activityWords(entry).said}
      minWidth={620}
      empty={
        <EmptyState icon={IconHistory} title="No activity yet">
          Sign-ins and changes to your name, password and sessions are recorded here permanently.
        </EmptyState>
      }
    />
  );
}
