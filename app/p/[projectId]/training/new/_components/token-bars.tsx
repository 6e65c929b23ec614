import { Table, Text } from "@mantine/core";
import { formatCount, plural } from "@/app/_lib/format";
import type { TrainingValidation } from "@/server/services/training/jobs/schemas";
import classes from "./new-training.module.css";

type Props = { tokens: TrainingValidation["tokens"]; maxLength: number };

/** Examples by their tokens; those over the maximum length are highlighted. A table below has the same numbers. */
export function TokenBars({ tokens: { histogram, p50, p95, p99, max }, maxLength }: Props) {
  const most = Math.max(1, ...histogram.map(({ rows }) => rows));
  const total = histogram.reduce((sum, { rows }) => sum + rows, 0);
  if (total === 0) {
    return (
      <Text size="sm" c="dimmed">
        No Example was measured.
      </Text>
    );
  }
  const axis = [histogram[0]?.from ?? 0, histogram.at(-1)?.to ?? max];
  return (
    <>
      <div
        className={classes.bars}
        role="img"
        aria-label={`Tokens of ${plural(total, "Example")}; the numbers are in the table below`}
      >
        {histogram.map(({ from, to, rows }) => (
          <span
            key={from}
            data-cut={from >= maxLength || undefined}
            title={`${formatCount(from)} to ${formatCount(to)} tokens: ${plural(rows, "Example")}`}
            style={{ blockSize: `${(100 * rows) / most}%` }}
          />
        ))}
      </div>
      <div className={classes.axis} aria-hidden>
        {axis.map((value) => (
          <span key={value}>{formatCount(value)} tokens</span>
        ))}
      </div>
      <Text size="xs" c="dimmed" mt={4}>
        Median {formatCount(p50)}, 95th percentile {formatCount(p95)}, 99th {formatCount(p99)}, longest{" "}
        {formatCount(max)}. Maximum length: {formatCount(maxLength)}.
      </Text>
      <details style={{ fontSize: "var(--mantine-font-size-xs)" }}>
        <summary style={{ cursor: "pointer", inlineSize: "fit-content" }}>Numbers by range of tokens</summary>
        <Table fz="xs" verticalSpacing={2} maw={360} aria-label="Examples by tokens">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Tokens</Table.Th>
              <Table.Th ta="end">Examples</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {histogram.map(({ from, to, rows }) => (
              <Table.Tr key={from}>
                <Table.Td className="tabular">
                  {formatCount(from)} – {formatCount(to)}
                </Table.Td>
                <Table.Td ta="end" className="tabular">
                  {formatCount(rows)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </details>
    </>
  );
}
