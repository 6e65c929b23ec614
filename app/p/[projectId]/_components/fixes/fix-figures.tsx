import { formatCount } from "@/app/_lib/format";
import type { FindingFix } from "@/server/services/diagnostics/findings/schemas";
import { pointsWords } from "../evaluations/words";
import classes from "./fixes.module.css";
import { FIX_VERDICT, leftOutWords, neededWords, shareWords } from "./words";

/** A Finding's rate before and since a fix, the difference, and what the comparison leaves out. */
export function FixFigures({ measured }: { measured: Omit<FindingFix, "id" | "at"> }) {
  const { days, before, since, difference, verdict } = measured;
  const explained = [FIX_VERDICT[verdict].says, neededWords(measured), ...leftOutWords(measured)];
  return (
    <>
      <p className={`${classes.quiet} tabular`}>
        {shareWords(before)} of the conversations in {formatCount(days)} days before, {shareWords(since)} since.
        {difference === null
          ? ""
          : ` ${pointsWords(difference.rate)} points; 95% interval ${pointsWords(difference.low)} to ${pointsWords(difference.high)}, valid at every look.`}
      </p>
      <p className={classes.quiet}>{explained.filter((one) => one !== "").join(" ")}</p>
    </>
  );
}
