import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, UNKNOWN } from "@/app/_lib/format";
import { type ListedPrompt, RECENT_DAYS } from "@/server/services/prompts/schemas";
import { Labels } from "./labels";
import { KIND_WORDS } from "./words";

const callsWords = ({ recentCalls }: ListedPrompt) =>
  recentCalls === null ? UNKNOWN : `${formatCount(recentCalls.count)}${recentCalls.more ? "+" : ""}`;

export const COLUMNS: ListColumn<ListedPrompt>[] = [
  {
    id: "name",
    header: "Prompt",
    meta: { link: true, sort: "server" },
    cell: ({ row: { original } }) => (
      <>
        <b className="mono">{original.name}</b>
        <Text size="xs" c="dimmed" component="div">
          {KIND_WORDS[original.kind]}
          <Text span inherit hiddenFrom="sm">
            , version {formatCount(original.latestVersion)}
          </Text>
        </Text>
      </>
    ),
  },
  {
    id: "latest",
    header: "Latest",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.latestVersion)}</span>,
  },
  {
    id: "labels",
    header: "Labels",
    meta: { width: "20rem", roomy: true },
    cell: ({ row }) => <Labels labels={row.original.labels.map(({ label, version }) => `${label} → ${version}`)} />,
  },
  {
    id: "calls",
    header: `Calls, ${RECENT_DAYS} days`,
    meta: { width: "8rem", align: "end", roomy: true },
    cell: ({ row }) => <span className="tabular">{callsWords(row.original)}</span>,
  },
  {
    id: "changed",
    header: "Changed",
    meta: { width: "7rem", align: "end", roomy: true, sort: "server" },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
];
