"use client";
import { Table, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ListFrame, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { UNKNOWN } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { doorWords } from "../../_components/audit/audit-words";
import { activityWords } from "./activity-words";
import { ACTIVITY_INPUT } from "./inputs";

const COLUMNS = [
  { label: "When" },
  { label: "What" },
  { label: "Address", roomy: true },
  { label: "By way of", roomy: true },
];

/** Sign-ins and changes of the account, so that its owner can spot what was not them. */
export function Activity() {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.account.activity.infiniteQueryOptions(ACTIVITY_INPUT, nextPage));
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <ListFrame
      label="Activity"
      what="event"
      columns={COLUMNS}
      minWidth={320}
      list={list}
      count={entries.length}
      empty={
        <EmptyState icon={<IconHistory size={32} stroke={1.5} aria-hidden />} title="Nothing happened yet">
          Sign-ins, and changes of your name, your password and your sessions, are written here and stay.
        </EmptyState>
      }
    >
      {entries.map((entry, index) => {
        const { said, more, refused } = activityWords(entry);
        return (
          <ListRow key={entry.id} index={index}>
            <Table.Td>
              <Ago at={entry.createdAt} />
            </Table.Td>
            <Table.Td>
              {refused ? <Dot color="var(--severity-high)">{said}</Dot> : said}
              {more ? (
                <Text size="xs" c="dimmed" display={{ base: "block", sm: "inline" }} ml={{ base: 0, sm: 6 }}>
                  {more}
                </Text>
              ) : null}
              <Text size="xs" c="dimmed" className="mono" hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
                {entry.address}
              </Text>
            </Table.Td>
            <Table.Td className="mono" {...ROOMY}>
              {entry.address ?? UNKNOWN}
            </Table.Td>
            <Table.Td {...ROOMY}>{doorWords(entry.door)}</Table.Td>
          </ListRow>
        );
      })}
    </ListFrame>
  );
}
