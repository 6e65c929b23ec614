import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatPercent } from "@/app/_lib/format";
import type { Comparison } from "@/server/services/proof/evaluations/schemas";
import classes from "./evaluations.module.css";
import { OUTCOME, OUTCOMES } from "./words";

/** Wins, ties and losses as one bar, with their numbers. */
export function OutcomeBar({ comparison, small = false }: { comparison: Comparison; small?: boolean }) {
  const all = comparison.win + comparison.tie + comparison.loss;
  return (
    <div>
      <div className={classes.bar} data-small={small || undefined} aria-hidden>
        {OUTCOMES.map((outcome) =>
          comparison[outcome] === 0 ? null : (
            <span key={outcome} style={{ flexGrow: comparison[outcome], background: OUTCOME[outcome].color }} />
          ),
        )}
      </div>
      <ul className={classes.legend} aria-label="Outcomes">
        {OUTCOMES.map((outcome) => (
          <li key={outcome}>
            <Dot color={OUTCOME[outcome].color}>
              {OUTCOME[outcome].word} <span className="tabular">{formatCount(comparison[outcome])}</span>
              {small || all === 0 ? null : (
                <span className={classes.dim}> {formatPercent(comparison[outcome] / all)}</span>
              )}
            </Dot>
          </li>
        ))}
      </ul>
    </div>
  );
}
