import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import type { Variant } from "@/server/services/proof/variants/schemas";
import { changesOf } from "../../_components/variants/change-words";

const answeredBy = ({ deploymentId, baseModel, connectionName }: Variant) =>
  baseModel ? "A base model" : deploymentId ? "A deployment" : (connectionName ?? "A deleted connection");

export const COLUMNS: ListColumn<Variant>[] = [
  {
    id: "name",
    header: "Name",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip" dir="auto">
          {original.name}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="clip" dir="auto">
          {original.note === "" ? `Version ${original.version}` : `Version ${original.version} · ${original.note}`}
        </Text>
      </>
    ),
  },
  {
    id: "model",
    header: "Model",
    meta: { width: "14rem", roomy: true },
    cell: ({ row: { original } }) => (
      <>
        <div className="clip mono" dir="auto">
          {original.model}
        </div>
        <Text size="xs" c="dimmed" component="div" className="clip" dir="auto">
          {answeredBy(original)}
        </Text>
      </>
    ),
  },
  {
    id: "changes",
    header: "Changes",
    meta: { width: "16rem", roomy: true, wide: true },
    cell: ({ row: { original } }) => <span className="clip">{changesOf(original)}</span>,
  },
  {
    id: "created",
    header: "Saved",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];
