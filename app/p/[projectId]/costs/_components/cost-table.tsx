import { Table } from "@mantine/core";
import Link from "next/link";
import { useRef } from "react";
import { useRowKeys } from "@/app/_components/data-table/use-row-keys";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { Count } from "@/app/_components/values/count";
import { Unknown } from "@/app/_components/values/unknown";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import { bucketName } from "@/app/p/[projectId]/_components/costs/price-words";
import { Units } from "@/app/p/[projectId]/_components/costs/units";
import { formatUnits } from "@/app/p/[projectId]/_components/costs/usage-words";
import type { CostGroup, Costs } from "@/server/services/costs/schemas";
import { useMay } from "../../_components/access/membership";
import { editHref } from "../../prices/_components/view";
import classes from "./costs.module.css";
import { bucketColumns, GROUP_WORDS, groupHref, groupName } from "./view";

type Row = Costs["rows"][number];

/** All groups of the chart, most expensive first, each with its usage. */
export function CostTable({ projectId, costs }: { projectId: string; costs: Costs }) {
  const { groupBy, rows, rowsLeftOut, total } = costs;
  const { shown, more } = bucketColumns(total.usage);
  const box = useRef<HTMLElement>(null);
  useRowKeys(box, rows.length);
  return (
    <section ref={box}>
      <TableScroll label="Costs" minWidth={520 + (shown.length + (more.length > 0 ? 1 : 0)) * 96}>
        <Table aria-label="Costs" className={`${classes.table} ${classes.wide}`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{GROUP_WORDS[groupBy].one}</Table.Th>
              <Table.Th ta="end">Cost</Table.Th>
              <Table.Th ta="end">Share</Table.Th>
              <Table.Th ta="end">Calls</Table.Th>
              <Table.Th ta="end">Without a cost</Table.Th>
              {shown.map((bucket) => (
                <Table.Th key={bucket} ta="end">
                  <div className={classes.columnName} title={bucket}>
                    {bucketName(bucket)}
                  </div>
                </Table.Th>
              ))}
              {more.length > 0 ? (
                <Table.Th ta="end" title={more.join(", ")}>
                  Other usage
                </Table.Th>
              ) : null}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, index) => (
              <Table.Tr key={row.key ?? "/"}>
                <Table.Th scope="row" className={classes.group}>
                  <Group projectId={projectId} costs={costs} row={row} index={index} />
                </Table.Th>
                <Numbers row={row} buckets={shown} more={more} of={total}>
                  <Unpriced projectId={projectId} costs={costs} row={row} />
                </Numbers>
              </Table.Tr>
            ))}
          </Table.Tbody>
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th scope="row">Total</Table.Th>
              <Numbers row={total} buckets={shown} more={more} of={total}>
                <Count value={total.unpricedCalls} />
              </Numbers>
            </Table.Tr>
          </Table.Tfoot>
        </Table>
      </TableScroll>
      {rowsLeftOut > 0 ? (
        <p className={classes.foot}>
          And {plural(rowsLeftOut, "cheaper group")}, in the total and in the CSV but not in this table.
        </p>
      ) : null}
    </section>
  );
}

type Sums = Omit<Row, "key">;
type NumbersProps = { row: Sums; buckets: string[]; more: string[]; of: Sums; children: React.ReactNode };

/** The cells of one row; `children` shows the number of unpriced calls. */
function Numbers({ row, buckets, more, of, children }: NumbersProps) {
  return (
    <>
      <Table.Td ta="end">
        <AtLeast usd={row.cost} exact={row.exactCost} unpriced={row.unpricedCalls} />
      </Table.Td>
      <Table.Td ta="end" className="tabular">
        {row.cost === null || !of.cost ? (
          <Unknown why={row.cost === null ? "no known cost" : "of a total of zero"} />
        ) : (
          formatPercent(row.cost / of.cost)
        )}
      </Table.Td>
      <Table.Td ta="end">
        <Count value={row.calls} />
      </Table.Td>
      <Table.Td ta="end">{children}</Table.Td>
      {buckets.map((bucket) => (
        <Table.Td key={bucket} ta="end">
          <Units count={row.usage[bucket] ?? 0} />
        </Table.Td>
      ))}
      {more.length > 0 ? (
        <Table.Td ta="end">
          <OtherUsage usage={row.usage} names={more} />
        </Table.Td>
      ) : null}
    </>
  );
}

const OTHERS_SHOWN = 4;

/** Details without a column of their own, by name: seconds and searches have no common sum. */
function OtherUsage({ usage, names }: { usage: Row["usage"]; names: readonly string[] }) {
  const used = names.filter((name) => usage[name]);
  if (used.length === 0) return <Count value={0} />;
  const lines = used.map((name) => `${formatUnits(usage[name]!)} ${bucketName(name)}`);
  return (
    <div className={classes.others} title={lines.join("\n")}>
      {lines.slice(0, OTHERS_SHOWN).map((text) => (
        <div key={text}>{text}</div>
      ))}
      {lines.length > OTHERS_SHOWN ? <div>and {formatCount(lines.length - OTHERS_SHOWN)} more</div> : null}
    </div>
  );
}

/** Names shown in monospace, because every character counts. */
const IDS: ReadonlySet<CostGroup> = new Set<CostGroup>(["model", "provider", "modelPriceId"]);

type GroupProps = { projectId: string; costs: Costs; row: Row };

/** The target of j and k; Enter opens the group's link, if any. */
function Group({ projectId, costs, row: { key }, index }: GroupProps & { index: number }) {
  const name = groupName(costs.groupBy, { key });
  const href = groupHref(projectId, costs, key);
  const valueClass = key !== null && IDS.has(costs.groupBy) ? "mono" : undefined;
  return href ? (
    <Link href={href} prefetch={false} className={valueClass} title={name} data-row={index}>
      {name}
    </Link>
  ) : (
    <span className={valueClass} title={name} tabIndex={-1} data-row={index}>
      {name}
    </span>
  );
}

/** The number of a group's unpriced calls; for a model, a link to set its price. */
function Unpriced({ projectId, costs, row: { key, calls, unpricedCalls } }: GroupProps) {
  const may = useMay("model-pricing:write");
  if (unpricedCalls === 0) return <Count value={0} />;
  return (
    <>
      <Count value={unpricedCalls} />
      {/* A model with a price for some of its calls needs a check rather than a new price. */}
      {may && key !== null && costs.groupBy === "model" && calls === unpricedCalls ? (
        <>
          {" "}
          <Link href={editHref(projectId, { model: key })} prefetch={false} className={classes.set}>
            Set a price
          </Link>
        </>
      ) : null}
    </>
  );
}
