import { formatCount } from "@/app/_lib/format";
import type { ReviewCounter } from "@/server/services/datasets/review/schemas";
import classes from "./review.module.css";

/** The number of pending candidates, and of the reviewer's decisions today and in the last hour. */
export const Counts = ({ counter }: { counter: ReviewCounter | null }) =>
  counter === null ? null : (
    <span className={classes.counts}>
      {formatCount(counter.waiting)} waiting · {formatCount(counter.doneToday)} done today ·{" "}
      {formatCount(counter.perHour)} in the last hour
    </span>
  );
