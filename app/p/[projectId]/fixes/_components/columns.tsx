import { Box, Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Unknown } from "@/app/_components/values/unknown";
import { formatPercent, formatUsd } from "@/app/_lib/format";
import type { Fix } from "@/server/services/diagnostics/fixes/schemas";
import { FixStanding } from "../../_components/fixes/fix-standing";
import { avoidedWords, FIX_KIND, releaseWords } from "../../_components/fixes/words";

export const COLUMNS: ListColumn<Fix>[] = [
  {
    id: "finding",
    header: "Finding",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip" dir="auto" title={original.findingTitle}>
          {original.findingTitle.replaceAll("`", "")}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="clip" dir="auto">
          {releaseWords(original)}
        </Text>
        <Box hiddenFrom="sm" fz="xs">
          <FixStanding fix={original} />
        </Box>
      </>
    ),
  },
  {
    id: "kind",
    header: "Changed",
    meta: { width: "6rem", roomy: true },
    cell: ({ row: { original } }) => (original.kind === null ? <Unknown /> : FIX_KIND[original.kind]),
  },
  {
    id: "verdict",
    header: "Verdict",
    meta: { width: "9rem", roomy: true },
    cell: ({ row }) => <FixStanding fix={row.original} />,
  },
  {
    id: "rate",
    header: "Rate",
    meta: { width: "9rem", align: "end", roomy: true },
    cell: ({ row: { original } }) =>
      original.measured === null ? (
        <Unknown />
      ) : (
        <span className="tabular">
          {formatPercent(original.measured.before.rate?.rate)} → {formatPercent(original.measured.since.rate?.rate)}
        </span>
      ),
  },
  {
    id: "avoided",
    header: "Avoided",
    meta: { width: "9rem", align: "end", roomy: true, wide: true },
    cell: ({ row: { original } }) => {
      const words = avoidedWords(original);
      return words === null ? (
        <Unknown />
      ) : (
        <span
          className="tabular"
          title="Conversations that would have had it at its rate before, with the 95% interval"
        >
          {words}
        </span>
      );
    },
  },
  {
    id: "cost",
    header: "A conversation costs",
    meta: { width: "11rem", align: "end", roomy: true, wide: true },
    cell: ({ row: { original } }) => <Costs fix={original} />,
  },
  {
    id: "proofCost",
    header: "Proofs cost",
    meta: { width: "7rem", align: "end", roomy: true, wide: true },
    cell: ({ row: { original } }) =>
      original.proofCost === null ? <Unknown /> : <span className="tabular">{formatUsd(original.proofCost)}</span>,
  },
  {
    id: "started",
    header: "Out since",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row: { original } }) => (original.startedAt === null ? <Unknown /> : <Ago at={original.startedAt} />),
  },
];

function Costs({ fix: { measured } }: { fix: Fix }) {
  if (measured === null || measured.cost.before === null || measured.cost.since === null) return <Unknown />;
  return (
    <span className="tabular" title="Mean of the conversations of which every call has a price">
      {formatUsd(measured.cost.before)} → {formatUsd(measured.cost.since)}
    </span>
  );
}
