import Link from "next/link";
import type { ListColumn } from "@/app/_components/data-table/types";
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
import { type Before, Change, factorOf } from "./change";
import classes from "./costs.module.css";
import { bucketColumns, GROUP_WORDS, groupName, groupWord, type Row } from "./view";

type Sums = Omit<Row, "key" | "others">;

/** Names shown in monospace, because every character counts. */
const IDS: ReadonlySet<CostGroup> = new Set<CostGroup>(["model", "provider", "user", "modelPriceId"]);

/** A column of numbers, with the total's below. */
const sum = (
  id: string,
  header: ListColumn<Row>["header"],
  {
    value,
    of,
    total,
    label,
  }: { value?: (row: Row) => number | null | undefined; of: Numbers; total: Sums; label?: string },
): ListColumn<Row> => ({
  id,
  ...(header === undefined ? {} : { header }),
  ...(value ? { accessorFn: (row: Row) => value(row) ?? undefined } : {}),
  meta: { align: "end", ...(label ? { label } : {}) },
  cell: ({ row }) => of(row.original),
  footer: () => of(total),
});
/** The total has no key. */
type Keyed = Sums & { key?: Row["key"]; others?: true };
type Numbers = (sums: Keyed) => React.ReactNode;

/** Returns a row's name; for the groups without a row of their own, how many there are. */
export const rowName = ({ groupBy, rowsLeftOut }: Costs, row: Row) =>
  row.others ? plural(rowsLeftOut, `other ${groupWord(groupBy)}`) : groupName(groupBy, row);

/** A column for each usage detail that matters, and one for the others. `before`: the previous period's costs, once known. */
export function columnsOf(projectId: string, costs: Costs, before: Costs | undefined): ListColumn<Row>[] {
  const { groupBy, total } = costs;
  const { shown, more } = bucketColumns(total.usage);
  const known = before && new Map(before.rows.map((row) => [row.key, row]));
  // Groups left out of the response were cheap, and their sums are unknown.
  const missing = before && (before.rowsLeftOut === 0 ? null : "unlisted");
  const sumsBefore = ({ key, others }: Pick<Keyed, "key" | "others">): Before =>
    key === undefined ? before?.total : others ? before && "unlisted" : (known?.get(key) ?? missing);
  return [
    {
      id: "group",
      header: GROUP_WORDS[groupBy].one,
      accessorFn: (row) => rowName(costs, row),
      meta: { link: true },
      cell: ({ row: { original } }) => (
        <span className={`${classes.group}${original.key !== null && IDS.has(groupBy) ? " mono" : ""}`}>
          {rowName(costs, original)}
        </span>
      ),
      footer: "Total",
    },
    sum("cost", "Cost", {
      total,
      value: ({ cost }) => cost,
      of: (row) => <AtLeast usd={row.cost} exact={row.exactCost} unpriced={row.unpricedCalls} />,
    }),
    sum("change", "Change", {
      total,
      value: (row) => factorOf(row, sumsBefore(row)),
      of: (row) => <Change now={row} before={sumsBefore(row)} />,
    }),
    sum("share", "Share", { total, value: ({ cost }) => cost, of: (row) => <Share row={row} of={total} /> }),
    sum("calls", "Calls", { total, value: ({ calls }) => calls, of: ({ calls }) => <Count value={calls} /> }),
    sum("unpriced", "Unpriced calls", {
      total,
      value: ({ unpricedCalls }) => unpricedCalls,
      of: (row) => <Unpriced projectId={projectId} groupBy={groupBy} row={row} />,
    }),
    ...shown.map((bucket) =>
      sum(
        `usage.${bucket}`,
        () => (
          <div className={classes.columnName} title={bucket}>
            {bucketName(bucket)}
          </div>
        ),
        {
          total,
          label: bucketName(bucket),
          value: ({ usage }) => usage[bucket] ?? 0,
          of: ({ usage }) => <Units count={usage[bucket] ?? 0} />,
        },
      ),
    ),
    ...(more.length > 0
      ? [
          sum("others", () => <span title={more.join(", ")}>Other usage</span>, {
            total,
            label: "Other usage",
            of: ({ usage }) => <OtherUsage usage={usage} names={more} />,
          }),
        ]
      : []),
  ];
}

const Share = ({ row, of }: { row: Sums; of: Sums }) =>
  row.cost === null || !of.cost ? (
    <Unknown why={row.cost === null ? "no known cost" : "the total is zero"} />
  ) : (
    <span className="tabular">{formatPercent(row.cost / of.cost)}</span>
  );

const OTHERS_SHOWN = 4;

/** Details without a column of their own, by name: seconds and searches cannot be added up. */
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

type UnpricedProps = { projectId: string; groupBy: CostGroup; row: Keyed };

/** The number of a group's unpriced calls; for a model, a link to set its price. */
function Unpriced({ projectId, groupBy, row: { key = null, calls, unpricedCalls } }: UnpricedProps) {
  const may = useMay("model-pricing:write");
  if (unpricedCalls === 0) return <Count value={0} />;
  return (
    <>
      <Count value={unpricedCalls} />
      {/* A model with a price for some of its calls needs a check rather than a new price. */}
      {may && key !== null && groupBy === "model" && calls === unpricedCalls ? (
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
