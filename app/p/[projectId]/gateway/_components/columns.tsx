import { Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import type { GatewayAlias } from "@/server/services/gateway/aliases/schemas";
import { variantWords } from "../../_components/experiments/words";
import type { ModelConnection } from "../../_components/variants/use-model-connections";
import { targetName } from "./target-words";

const skippedOf = ({ targets }: GatewayAlias) => targets.filter(({ callable }) => !callable).length;

/** Returns the columns, with the names of the connections that targets are behind. */
export const columnsOf = (connections: readonly ModelConnection[]): ListColumn<GatewayAlias>[] => [
  {
    id: "name",
    header: "Alias",
    accessorFn: ({ name }) => name,
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <b className="mono">{original.name}</b>
        <Text size="xs" c="dimmed" lineClamp={2} hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
          {original.targets.map((target) => targetName(target, connections)).join(" → ")}
        </Text>
      </>
    ),
  },
  {
    id: "targets",
    header: "Models, in order",
    meta: { width: "30rem", roomy: true, aside: true },
    cell: ({ row: { original } }) => (
      <Text size="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
        {original.targets.map((target) => targetName(target, connections)).join(" → ")}
      </Text>
    ),
  },
  {
    id: "experiment",
    header: "Experiment",
    meta: { width: "14rem", roomy: true, aside: true, isEmpty: ({ experiment }) => experiment === null },
    cell: ({ row: { original } }) =>
      original.experiment ? (
        <Text size="sm" lineClamp={2} className="tabular" style={{ overflowWrap: "anywhere" }}>
          {original.experiment.share}% {variantWords(original.experiment)}
        </Text>
      ) : null,
  },
  {
    id: "skipped",
    header: "Skipped",
    meta: { width: "6rem", align: "end", roomy: true, aside: true, isEmpty: (alias) => skippedOf(alias) === 0 },
    cell: ({ row: { original } }) =>
      skippedOf(original) > 0 ? `${skippedOf(original)} of ${original.targets.length}` : null,
  },
  {
    id: "retries",
    header: "Retries",
    accessorFn: ({ retries }) => retries,
    meta: { width: "6rem", align: "end", roomy: true, aside: true },
    cell: ({ row }) => <span className="tabular">{row.original.retries}</span>,
  },
  {
    id: "updated",
    header: "Changed",
    accessorFn: ({ updatedAt }) => updatedAt,
    meta: { width: "7rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.updatedAt} />,
  },
];
