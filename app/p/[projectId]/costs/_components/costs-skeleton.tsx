import { Skeleton } from "@mantine/core";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { CHART_HEIGHT } from "./cost-chart";
import classes from "./costs.module.css";

/** A placeholder with the same heights as the content. */
export function CostsSkeleton() {
  return (
    <div role="status" aria-label="Loading costs">
      <div className={classes.tiles}>
        {[0, 1, 2, 3, 4, 5].map((tile) => (
          <div key={tile} className={classes.tile}>
            <Skeleton height={10} width={88} my={4} />
            <Skeleton height={20} width={120} my={5} />
            <Skeleton height={10} width={150} my={4} />
          </div>
        ))}
      </div>
      <div className={classes.picture}>
        <Skeleton height={CHART_HEIGHT} />
      </div>
      <TableSkeleton rows={5} label="Loading the table" />
    </div>
  );
}
