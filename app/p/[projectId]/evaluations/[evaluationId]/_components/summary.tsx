import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatPercent } from "@/app/_lib/format";
import type { Comparison, Evaluation, Proof } from "@/server/services/proof/evaluations/schemas";
import { isJudged, judgingWords } from "../../../_components/evaluations/judge-words";
import { OutcomeBar } from "../../../_components/evaluations/outcome-bar";
import { RateBars } from "../../../_components/evaluations/rate-bars";
import { RightResult } from "../../../_components/evaluations/right-result";
import {
  countedWords,
  intervalWords,
  isUnfinished,
  lackWords,
  pointsWords,
  selectionWords,
  VERDICT,
} from "../../../_components/evaluations/words";
import classes from "./evaluation-page.module.css";

/** What the comparison found, and what it was made on. */
export function Summary({ evaluation }: { evaluation: Evaluation }) {
  const { comparison, proof, judging } = evaluation;
  return (
    <section className={classes.summary} aria-label="Result">
      <h2 className={classes.heading}>{isUnfinished(evaluation) ? "So far" : "Result"}</h2>
      {comparison !== null ? (
        <Outcomes comparison={comparison} />
      ) : proof !== null ? (
        <Rates proof={proof} verdict={evaluation.verdict} />
      ) : (
        <p className={classes.quiet}>
          {isUnfinished(evaluation) ? "No row has been answered by both models yet." : "No row was answered."}
        </p>
      )}
      {judging === null ? null : (
        <>
          <h2 className={classes.heading}>
            {isJudged(judging) ? "Being judged by" : "Judged by"} <span className="mono">{judging.model}</span>
          </h2>
          {judgingWords(judging).map((sentence) => (
            <p key={sentence} className={classes.quiet}>
              {sentence}
            </p>
          ))}
        </>
      )}
      <h2 className={classes.heading}>What was compared</h2>
      {selectionWords(evaluation).map((sentence) => (
        <p key={sentence} className={classes.quiet}>
          {sentence}
        </p>
      ))}
    </section>
  );
}

function Outcomes({ comparison }: { comparison: Comparison }) {
  const { winShare, lossShare, score, reasons } = comparison;
  const counted = Object.entries(reasons).toSorted(([, a], [, b]) => b - a);
  return (
    <>
      <OutcomeBar comparison={comparison} />
      <dl className={classes.figures}>
        {winShare === null || lossShare === null ? null : (
          <>
            <dt>Wins</dt>
            <dd>
              <strong>{formatPercent(winShare.rate)}</strong>
              <span>95% interval {intervalWords(winShare)}</span>
            </dd>
            <dt>Losses</dt>
            <dd>
              <strong>{formatPercent(lossShare.rate)}</strong>
              <span>95% interval {intervalWords(lossShare)}</span>
            </dd>
          </>
        )}
        {score === null ? null : (
          <>
            <dt>Similarity to the expected answers</dt>
            <dd>
              <strong>
                {formatPercent(score.before)} → {formatPercent(score.after)}
              </strong>
              <span>mean word F1</span>
            </dd>
          </>
        )}
      </dl>
      <h3 className={classes.subheading}>Why</h3>
      <ul className={classes.reasons} aria-label="Reasons">
        {counted.map(([reason, count]) => (
          <li key={reason}>
            <span>{countedWords(reason)}</span>
            <span className="tabular">{formatCount(count)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Rates({ proof, verdict }: { proof: Proof; verdict: Evaluation["verdict"] }) {
  const { difference, fixed, broken, right } = proof;
  return (
    <>
      {verdict === null ? null : (
        <p className={classes.verdict}>
          <Dot color={VERDICT[verdict].color}>
            <strong>{VERDICT[verdict].word}</strong>
          </Dot>
          <span>{verdict === "not_enough" ? lackWords(proof) : VERDICT[verdict].says}</span>
        </p>
      )}
      {right === null ? null : (
        <>
          <h3 className={classes.subheading}>Right answers</h3>
          <RightResult right={right} />
        </>
      )}
      <h3 className={classes.subheading}>Answers with the Finding, right or not</h3>
      <RateBars proof={proof} />
      <dl className={classes.figures}>
        {difference === null ? null : (
          <>
            <dt>Difference</dt>
            <dd>
              <strong>{pointsWords(difference.rate)} points</strong>
              <span>
                95% interval {pointsWords(difference.low)} to {pointsWords(difference.high)}
              </span>
            </dd>
          </>
        )}
        <dt>Gone</dt>
        <dd>
          <strong>{formatCount(fixed)}</strong>
          <span>found before, not after</span>
        </dd>
        <dt>New</dt>
        <dd>
          <strong>{formatCount(broken)}</strong>
          <span>found after, not before</span>
        </dd>
      </dl>
    </>
  );
}
