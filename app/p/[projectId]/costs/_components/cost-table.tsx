import { DataList } from "@/app/_components/data-table/data-list";
import type { ListQuery } from "@/app/_components/data-table/types";
import { plural } from "@/app/_lib/format";
import type { Costs } from "@/server/services/costs/schemas";
import { columnsOf } from "./columns";
import classes from "./costs.module.css";
import { groupHref, groupName } from "./view";

const COLUMN_PX = 96;
const FEWEST_COLUMNS = 6;

type Props = { projectId: string; costs: Costs; before: Costs | undefined; list: ListQuery };

/** All groups of the chart, most expensive first, each with its usage. */
export function CostTable({ projectId, costs, before, list }: Props) {
  const columns = columnsOf(projectId, costs, before);
  return (
    <>
      <DataList
        embedded
        list={list}
        name="Costs"
        what="group"
        columns={columns}
        rows={costs.rows}
        rowId={({ key }) => key ?? "/"}
        rowName={(row) => groupName(costs.groupBy, row)}
        rowHref={({ key }) => groupHref(projectId, costs, key)}
        minWidth={600 + (columns.length - FEWEST_COLUMNS) * COLUMN_PX}
        empty={null}
      />
      {costs.rowsLeftOut > 0 ? (
        <p className={classes.foot}>
          Plus {plural(costs.rowsLeftOut, "cheaper group")}, included in the total and the CSV but not in this table.
        </p>
      ) : null}
    </>
  );
}
