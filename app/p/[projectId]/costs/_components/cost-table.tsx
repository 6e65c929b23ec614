import { DataList } from "@/app/_components/data-table/data-list";
import type { ListQuery } from "@/app/_components/data-table/types";
import { plural } from "@/app/_lib/format";
import type { Costs } from "@/server/services/costs/schemas";
import { columnsOf, rowName } from "./columns";
import classes from "./costs.module.css";
import { groupHref, groupWord, rowsOf } from "./view";

const COLUMN_PX = 96;
const FEWEST_COLUMNS = 6;

type Props = { projectId: string; costs: Costs; before: Costs | undefined; list: ListQuery };

/** All groups of the chart, most expensive first, each with its usage. */
export function CostTable({ projectId, costs, before, list }: Props) {
  const columns = columnsOf(projectId, costs, before);
  const word = groupWord(costs.groupBy);
  return (
    <>
      <DataList
        embedded
        list={list}
        name="Costs"
        what="group"
        columns={columns}
        rows={rowsOf(costs)}
        rowId={({ key, others }) => (others ? "/others" : (key ?? "/"))}
        rowName={(row) => rowName(costs, row)}
        rowHref={({ key, others }) => (others ? null : groupHref(projectId, costs, key))}
        minWidth={600 + (columns.length - FEWEST_COLUMNS) * COLUMN_PX}
        empty={null}
      />
      {costs.rowsLeftOut > 0 ? (
        <p className={classes.foot}>
          {costs.rest
            ? `The ${plural(costs.rows.length, `most expensive ${word}`)} have a row each; the others share one. The CSV has them all.`
            : `Plus ${plural(costs.rowsLeftOut, `cheaper ${word}`)}, included in the total and the CSV but not in this table.`}
        </p>
      ) : null}
    </>
  );
}
