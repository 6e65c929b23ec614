import { Group, Table, Text } from "@mantine/core";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { Unknown } from "@/app/_components/values/unknown";
import { formatCount, formatDay, formatUsd, formatUsdExact, plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";

type Preview = RouterOutputs["repricings"]["preview"]["preview"];

/** `+$1.20`, with every digit on hover. */
function Difference({ usd }: { usd: number | null }) {
  if (usd === null) return <Unknown why="one side is unknown" />;
  return (
    <span className="tabular" title={formatUsdExact(usd)}>
      {usd > 0 ? "+" : ""}
      {formatUsd(usd)}
    </span>
  );
}

const unknownWords = ({ unknownBefore, unknownAfter }: Preview["rows"][number]) =>
  unknownBefore === unknownAfter
    ? formatCount(unknownAfter)
    : `${formatCount(unknownBefore)} → ${formatCount(unknownAfter)}`;

/** The effect of current prices on stored costs, by day and model. */
export function PreviewTable({ preview }: { preview: Preview }) {
  const { total, rows, rowsLeftOut, complete, callsExpected } = preview;
  return (
    <div aria-live="polite">
      <Text size="sm">
        {total.calls === 0
          ? "No calls match."
          : total.changed === 0
            ? `Nothing would change: ${plural(total.calls, "call matches", "calls match")} current prices.`
            : `${plural(total.changed, "call")} of ${formatCount(total.calls)} would change.`}
        {complete ? "" : ` These are the newest; there are about ${formatCount(callsExpected)}.`}
      </Text>
      {total.changed > 0 ? (
        <Group gap="xl" my="xs">
          <Sum label="Cost now">
            <AtLeast usd={total.costBefore} unpriced={total.unknownBefore} />
          </Sum>
          <Sum label="With today's prices">
            <AtLeast usd={total.costAfter} unpriced={total.unknownAfter} />
          </Sum>
          <Sum label="Difference">
            <Difference usd={total.difference} />
          </Sum>
          <Sum label="Calls without a known cost">{unknownWords({ ...total, day: 0, model: null })}</Sum>
        </Group>
      ) : null}
      {rows.length > 0 ? (
        <TableScroll label="What would change" minWidth={620}>
          <Table fz="sm" verticalSpacing={4} aria-label="What would change, by day and model">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Day (UTC)</Table.Th>
                <Table.Th>Model</Table.Th>
                <Table.Th ta="end">Calls that change</Table.Th>
                <Table.Th ta="end">Before</Table.Th>
                <Table.Th ta="end">After</Table.Th>
                <Table.Th ta="end">Difference</Table.Th>
                <Table.Th ta="end">Unknown</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={`${row.day} ${row.model}`}>
                  <Table.Td style={{ whiteSpace: "nowrap" }}>{formatDay(row.day, 0)}</Table.Td>
                  <Table.Td className="mono" style={{ overflowWrap: "anywhere" }}>
                    {row.model ?? "model not specified"}
                  </Table.Td>
                  <Table.Td ta="end" className="tabular">
                    {formatCount(row.changed)}
                  </Table.Td>
                  <Table.Td ta="end">
                    <AtLeast usd={row.costBefore} unpriced={row.unknownBefore} />
                  </Table.Td>
                  <Table.Td ta="end">
                    <AtLeast usd={row.costAfter} unpriced={row.unknownAfter} />
                  </Table.Td>
                  <Table.Td ta="end">
                    <Difference usd={row.difference} />
                  </Table.Td>
                  <Table.Td ta="end" className="tabular">
                    {unknownWords(row)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </TableScroll>
      ) : null}
      {rowsLeftOut > 0 ? (
        <Text size="xs" c="dimmed">
          {plural(rowsLeftOut, "row")} of smaller differences {rowsLeftOut === 1 ? "is" : "are"} not shown.
        </Text>
      ) : null}
    </div>
  );
}

const Sum = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    <Text size="lg" fw={600} component="div" className="tabular">
      {children}
    </Text>
  </div>
);
