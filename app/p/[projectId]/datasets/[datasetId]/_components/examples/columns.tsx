import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import type { Example } from "@/server/services/datasets/examples/schemas";
import { OBJECTIVES, SOURCES, SPLITS } from "../../../_components/words";
import { previewOf } from "./preview";

export const COLUMNS: ListColumn<Example>[] = [
  {
    id: "example",
    header: "Example",
    meta: { link: true },
    cell: ({ row: { original } }) => {
      const { question, answer } = previewOf(original.payload);
      return (
        <>
          <Text size="sm" fw={500} component="div" className="clip" dir="auto">
            {question}
          </Text>
          <Text size="xs" c="dimmed" component="div" className="clip" dir="auto">
            {answer}
          </Text>
        </>
      );
    },
  },
  {
    id: "split",
    header: "Split",
    meta: { width: "6rem", roomy: true },
    cell: ({ row }) => SPLITS[row.original.split],
  },
  {
    id: "source",
    header: "Source",
    meta: { width: "8rem", roomy: true },
    cell: ({ row: { original } }) => (
      <span title={original.objective === null ? undefined : OBJECTIVES[original.objective].name}>
        {SOURCES[original.source.kind]}
      </span>
    ),
  },
  {
    id: "tags",
    header: "Tags",
    meta: { width: "10rem", wide: true, aside: true },
    cell: ({ row: { original } }) => (
      <Text size="xs" c="dimmed" component="div" className="clip" dir="auto" title={original.tags.join(", ")}>
        {original.tags.join(", ")}
      </Text>
    ),
  },
  {
    id: "tokens",
    header: "Tokens",
    meta: { width: "5rem", align: "end", roomy: true, aside: true },
    cell: ({ row }) => <Count value={row.original.tokens} />,
  },
  {
    id: "updated",
    header: "Updated",
    meta: { width: "6.5rem", align: "end", roomy: true, aside: true },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
];
