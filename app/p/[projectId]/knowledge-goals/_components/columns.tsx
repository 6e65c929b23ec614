import { Box, Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import type { KnowledgeGoal } from "@/server/services/datasets/goals/schemas";
import { KeyPhrases } from "./key-phrases";

const PHRASES_SHOWN = 4;

export const COLUMNS: ListColumn<KnowledgeGoal>[] = [
  {
    id: "title",
    header: "Title",
    accessorFn: ({ title }) => title,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <b>{original.title}</b>
        <Text size="xs" c="dimmed" lineClamp={1}>
          {original.description}
        </Text>
      </>
    ),
  },
  {
    id: "phrases",
    header: "Key phrases",
    meta: { width: "26rem", roomy: true, aside: true },
    cell: ({ row }) => (
      // Otherwise the cell would be as wide as its longest phrase.
      <Box maw="25rem">
        <KeyPhrases phrases={row.original.keyPhrases} limit={PHRASES_SHOWN} />
      </Box>
    ),
  },
  {
    id: "updated",
    header: "Changed",
    accessorFn: ({ updatedAt }) => updatedAt,
    meta: { width: "7rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
];
