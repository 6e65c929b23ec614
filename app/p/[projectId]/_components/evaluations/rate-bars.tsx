import { formatCount, formatPercent } from "@/app/_lib/format";
import type { Proof, ShareInterval } from "@/server/services/proof/evaluations/schemas";
import classes from "./evaluations.module.css";
import { intervalWords } from "./words";

type RateProps = { label: string; found: number; n: number; rate: ShareInterval | null };

/** A rate as a bar with its interval, and both as numbers. */
const Rate = ({ label, found, n, rate }: RateProps) => (
  <div className={classes.rate}>
    <span>{label}</span>
    <div className={classes.track} aria-hidden>
      {rate === null ? null : (
        <>
          <span className={classes.fill} style={{ inlineSize: `${100 * rate.rate}%` }} />
          <span
            className={classes.interval}
            style={{ insetInlineStart: `${100 * rate.low}%`, inlineSize: `${100 * (rate.high - rate.low)}%` }}
          />
        </>
      )}
    </div>
    <span className="tabular">
      <strong>{formatPercent(rate?.rate)}</strong>{" "}
      <span className={classes.dim}>
        {formatCount(found)} of {formatCount(n)}
        {rate === null ? "" : `; 95% interval ${intervalWords(rate)}`}
      </span>
    </span>
  </div>
);

/** A Finding's rate before and after, with the intervals. */
export const RateBars = ({ proof: { n, foundBefore, foundAfter, before, after } }: { proof: Proof }) => (
  <div className={classes.rates}>
    <Rate label="Before" found={foundBefore} n={n} rate={before} />
    <Rate label="After" found={foundAfter} n={n} rate={after} />
  </div>
);
