import { Text } from "@mantine/core";
import { buttonColumn } from "@/app/_components/data-table/columns";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Count } from "@/app/_components/values/count";
import { formatCount } from "@/app/_lib/format";
import type { DatasetVersion } from "@/server/services/datasets/versions/schemas";
import { VERSION_KINDS } from "../../../_components/words";

type Changed = Pick<DatasetVersion, "added" | "changed" | "removed">;

/** `12 added · 3 changed`. */
function changeWords({ added, changed, removed }: Changed): string {
  const parts = [
    ...(added > 0 ? [`${formatCount(added)} added`] : []),
    ...(changed > 0 ? [`${formatCount(changed)} changed`] : []),
    ...(removed > 0 ? [`${formatCount(removed)} removed`] : []),
  ];
  return parts.length === 0 ? "Nothing changed" : parts.join(" · ");
}

const ACTORS: Record<DatasetVersion["actorKind"], string> = {
  user: "A member",
  apiKey: "An API key",
  job: "A job",
  operator: "The operator",
};

type Options = { newest: number; onRestore: (version: DatasetVersion) => void };

export const columnsOf = (options: Options | undefined): ListColumn<DatasetVersion>[] => [
  {
    id: "version",
    header: "Version",
    accessorFn: ({ number }) => number,
    meta: { width: "6rem", link: true },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.number)}</span>,
  },
  {
    id: "changes",
    header: "Changes",
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" component="div" className="tabular" style={{ whiteSpace: "normal" }}>
          {changeWords(original)}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {VERSION_KINDS[original.kind]}
          {original.kind === "restore" && original.causeId !== null ? ` of version ${original.causeId}` : ""}
          {original.closedAt === null ? ", still open" : ""}
        </Text>
      </>
    ),
  },
  {
    id: "examples",
    header: "Examples",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row }) => <Count value={row.original.exampleCount} />,
  },
  {
    id: "by",
    header: "By",
    meta: { width: "8rem", roomy: true },
    cell: ({ row: { original } }) => ACTORS[original.actorKind],
  },
  {
    id: "created",
    header: "Created",
    meta: { width: "6.5rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
  ...(options === undefined
    ? []
    : [
        buttonColumn<DatasetVersion>({
          label: "Restore…",
          says: ({ number }) => `Restore version ${number}`,
          busy: () => false,
          applies: ({ number }) => number !== options.newest,
          onPress: options.onRestore,
        }),
      ]),
];
