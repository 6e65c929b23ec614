import { Skeleton } from "@mantine/core";
import classes from "./table-skeleton.module.css";

/** A placeholder with the rows' heights, so that nothing moves when they load. */
export function TableSkeleton({
  rowHeight = 40,
  rows = 14,
  label = "Loading",
}: {
  rowHeight?: number;
  rows?: number;
  label?: string;
}) {
  return (
    <div role="status" aria-label={label} className={classes.root}>
      <div className={classes.head} />
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <div key={index} className={classes.row} style={{ blockSize: rowHeight }}>
          <Skeleton height={10} width="6%" />
          <Skeleton height={10} width={`${34 + ((index * 7) % 22)}%`} />
          <Skeleton height={10} width="8%" ml="auto" />
          <Skeleton height={10} width="6%" />
        </div>
      ))}
    </div>
  );
}
