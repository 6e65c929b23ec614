import { Table, UnstyledButton } from "@mantine/core";
import { formatCount, formatExact } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import classes from "./histogram.module.css";

type Props = {
  histogram: RouterOutputs["conversations"]["histogram"];
  onZoom: (range: { range: "custom"; from: number; to: number }) => void;
};

/** The histogram's numbers, newest first; clicking a time narrows the list to it. */
export const BucketTable = ({ histogram: { width, buckets }, onZoom }: Props) => (
  <details className={classes.numbers}>
    <summary>Numbers over time</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
    <section className={classes.scroll} tabIndex={0} aria-label="Numbers over time, scrollable">
      <Table fz="xs" verticalSpacing={2} aria-label="Conversations over time">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>From</Table.Th>
            <Table.Th ta="end">Conversations</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets.toReversed().map(({ from, count, sampled }) => (
            <Table.Tr key={from}>
              <Table.Td>
                <UnstyledButton
                  className={classes.zoom}
                  onClick={() => onZoom({ range: "custom", from, to: from + (width ?? 0) })}
                  title="Show these conversations"
                >
                  {formatExact(from)}
                </UnstyledButton>
              </Table.Td>
              <Table.Td ta="end" className="tabular">
                {sampled ? "≥ " : ""}
                {formatCount(count)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  </details>
);
