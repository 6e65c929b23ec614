import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { CollectionState } from "./collection-state";
import { OBJECTIVES } from "./words";

const none = (
  <Text size="sm" c="dimmed" span>
    None
  </Text>
);

export const COLUMNS: ListColumn<Dataset>[] = [
  {
    id: "name",
    header: "Dataset",
    accessorFn: ({ name }) => name,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip" dir="auto">
          {original.name}
        </Text>
        {original.description === "" ? null : (
          <Text size="xs" c="dimmed" component="div" className="clip" dir="auto">
            {original.description}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "objective",
    header: "Objective",
    meta: { width: "14rem", roomy: true },
    cell: ({ row: { original } }) =>
      original.collectionObjective === null ? none : OBJECTIVES[original.collectionObjective].name,
  },
  {
    id: "collecting",
    header: "Collection",
    meta: { width: "8rem", roomy: true },
    cell: ({ row }) => <CollectionState dataset={row.original} />,
  },
  {
    id: "examples",
    header: "Examples",
    accessorFn: ({ exampleCount }) => exampleCount,
    meta: { width: "5.5rem", align: "end" },
    cell: ({ row }) => <Count value={row.original.exampleCount} />,
  },
  {
    id: "version",
    header: "Version",
    meta: { width: "5rem", align: "end", roomy: true },
    cell: ({ row: { original } }) => (original.version === 0 ? none : <Count value={original.version} />),
  },
  {
    id: "updated",
    header: "Updated",
    accessorFn: ({ updatedAt }) => updatedAt,
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
];
