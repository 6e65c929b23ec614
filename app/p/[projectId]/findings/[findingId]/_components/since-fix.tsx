import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatPercent } from "@/app/_lib/format";
import type { FindingFix } from "@/server/services/diagnostics/findings/schemas";
import { pointsWords, VERDICT } from "../../../_components/evaluations/words";
import classes from "./finding-page.module.css";

type Word = { word: string; color: string; says: string };

const WORDS: Record<FindingFix["verdict"], Word> = {
  ...VERDICT,
  not_enough: { ...VERDICT.not_enough, says: "Too few conversations since then for a verdict." },
  regressed: {
    word: "Regressed",
    color: "var(--severity-high)",
    says: "It happened again in a conversation that started after the fix.",
  },
};

const shareWords = ({ affected, conversations, rate }: FindingFix["before"]) =>
  `${formatPercent(rate?.rate)} (${formatCount(affected)} of ${formatCount(conversations)})`;

/** Whether the Finding's rate in real traffic has fallen since it was resolved. */
export function SinceFix({ fix }: { fix: FindingFix }) {
  const { at, before, since, difference, verdict } = fix;
  const { word, color, says } = WORDS[verdict];
  return (
    <section aria-label="Since it was resolved" className={classes.proof}>
      <div className={classes.proofLine}>
        <Dot color={color}>{word}</Dot>
        <span className={classes.quiet}>
          Resolved <Ago at={at} />
        </span>
      </div>
      <p className={`${classes.quiet} tabular`}>
        {shareWords(before)} of the conversations before, {shareWords(since)} since.
        {difference === null
          ? ""
          : ` ${pointsWords(difference.rate)} points; 95% interval ${pointsWords(difference.low)} to ${pointsWords(difference.high)}.`}{" "}
        {says}
      </p>
    </section>
  );
}
