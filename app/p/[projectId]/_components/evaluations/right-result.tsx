import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { Rightness } from "@/server/services/proof/evaluations/schemas";
import classes from "./evaluations.module.css";
import { decidedWords, intervalWords, pointsWords, STATES } from "./words";

type Side = Rightness["before"];

/** What became of one model's answers, as one bar with its numbers. */
function States({ label, side }: { label: string; side: Side }) {
  return (
    <div>
      <div className={classes.stateHead}>
        <span>{label}</span>
        <span className="tabular">
          <strong>{formatPercent(side.share?.rate)}</strong> right
          {side.share === null ? "" : `; 95% interval ${intervalWords(side.share)}`}
        </span>
      </div>
      <div className={classes.bar} aria-hidden>
        {STATES.map(({ name, color }) =>
          side[name] === 0 ? null : <span key={name} style={{ flexGrow: side[name], background: color }} />,
        )}
      </div>
      <ul className={classes.legend} aria-label={`Answers ${label.toLowerCase()}`}>
        {STATES.map(({ name, color, word }) => (
          <li key={name}>
            <Dot color={color}>
              {word} <span className="tabular">{formatCount(side[name])}</span>
            </Dot>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How often the answers are right before and after, and what the claim rests on. */
export function RightResult({ right }: { right: Rightness }) {
  const { n, groups, gained, lost, difference, corrected, correctedDifference, agreement } = right;
  const { floors, reviewed, checked, checksNeeded, decidedBy } = right;
  const isOnlySaid = (decidedBy.model ?? 0) > 0 && checked < checksNeeded;
  return (
    <div className={classes.rates}>
      <States label="Before" side={right.before} />
      <States label="After" side={right.after} />
      {difference === null ? null : (
        <p className={`${classes.claim} tabular`}>
          {isOnlySaid ? "Judge says: " : ""}
          {difference.low > 0
            ? `At least ${pointsWords(difference.low).replace("+", "")} points more right answers`
            : `${pointsWords(difference.rate)} points of right answers`}
          ; 95% interval {pointsWords(difference.low)} to {pointsWords(difference.high)}, in {plural(n, "row")}
          {groups < n ? ` of ${plural(groups, "group")} (of one user, or near copies)` : ""}: {formatCount(gained)}{" "}
          gained, {formatCount(lost)} lost.
        </p>
      )}
      <ul className={classes.notes} aria-label="What this rests on">
        {right.trades ? (
          <li>It trades one fault for another: more answers are without the Finding and still not right.</li>
        ) : null}
        <li>{decidedWords(decidedBy)}</li>
        {floors.map(({ language, floor, n: references, others }) => (
          <li key={language ?? ""}>
            “Similar”{language === null ? "" : ` (${language})`} means word F1 above {formatPercent(floor)}, which 95%
            of {formatCount(references)} answers to other questions do not reach
            <span className={classes.histogram} aria-hidden>
              {others.map((count, tenth) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
                  key={tenth}
                  data-above={tenth >= Math.floor(floor * others.length) || undefined}
                  style={{ blockSize: `${Math.max(1, (12 * count) / Math.max(1, ...others))}px` }}
                />
              ))}
            </span>
          </li>
        ))}
        {reviewed === 0 ? null : (
          <li>
            People reviewed {plural(reviewed, "row")}, {formatCount(checked)} of them at random.
            {corrected === null
              ? ""
              : ` Corrected by these, ${formatPercent(corrected.rate)} are right after (${intervalWords(corrected)}).`}
            {correctedDifference === null
              ? ""
              : ` The difference is then ${pointsWords(correctedDifference.rate)} points (${pointsWords(correctedDifference.low)} to ${pointsWords(correctedDifference.high)}).`}
            {agreement === null
              ? ""
              : ` Two reviewers agree on ${formatPercent(agreement.share)} of ${formatCount(agreement.judgements)} answers (AC1 ${agreement.ac1.toFixed(2)}).`}
          </li>
        )}
        {right.tries > 1 ? (
          <li>
            {plural(right.tries - 1, "other checkpoint")} tried on this Finding before, so this one needs a clearer
            result.
          </li>
        ) : null}
      </ul>
    </div>
  );
}
