import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { FindingFix } from "@/server/services/diagnostics/findings/schemas";
import { pointsWords } from "../../../_components/evaluations/words";
import classes from "./finding-page.module.css";

type Word = { word: string; color: string; says: string };

const WORDS: Record<FindingFix["verdict"], Word> = {
  proven: {
    word: "Proven",
    color: "var(--state-ok)",
    says: "The rate fell: the whole interval of the difference lies below zero.",
  },
  not_proven: {
    word: "Not proven",
    color: "var(--severity-medium)",
    says: "Whatever is still possible, the rate has not halved.",
  },
  not_enough: { word: "Not enough yet", color: "var(--severity-info)", says: "" },
  regressed: {
    word: "Regressed",
    color: "var(--severity-high)",
    says: "It happened again in a conversation that started after the fix.",
  },
};

const shareWords = ({ affected, conversations, rate }: FindingFix["before"]) =>
  `${formatPercent(rate?.rate)} (${formatCount(affected)} of ${formatCount(conversations)})`;

/** What a verdict takes that cannot be given yet. */
function neededWords({ verdict, needed, since, before }: FindingFix): string {
  if (verdict !== "not_enough") return "";
  if (before.conversations === 0) {
    return "No conversation before it was read by the same version of the Rule with the same settings: run a backfill over those days.";
  }
  if (needed === null) return "It was too rare before for a fix to show.";
  const missing = needed - since.conversations;
  return missing > 0
    ? `If it stays away, ${plural(missing, "more conversation")} ${missing === 1 ? "shows" : "show"} it.`
    : "It fell too little to tell it from chance.";
}

/** What is left out of the comparison, in sentences. */
function leftOutWords({ notRead, withoutPast, comparedBy, calmPast }: FindingFix): string[] {
  const unread = notRead.before + notRead.since;
  return [
    ...(unread > 0
      ? [
          `Left out: ${plural(unread, "conversation")} (${formatCount(notRead.before)} before, ${formatCount(notRead.since)} since) not read by the same version of the Rule with the same settings.`,
        ]
      : []),
    ...(withoutPast > 0
      ? [`Left out: ${plural(withoutPast, "conversation")} since with a model or labels that none before had.`]
      : []),
    ...(comparedBy === "labels" ? ["The models from before are no longer used, so models are compared as one."] : []),
    ...(calmPast ? ["It was resolved at a peak, so only the days before the peak are compared."] : []),
  ];
}

/** Whether the Finding's rate in real traffic has fallen since it was resolved. */
export function SinceFix({ fix }: { fix: FindingFix }) {
  const { at, days, before, since, difference, verdict } = fix;
  const { word, color, says } = WORDS[verdict];
  const explained = [says, neededWords(fix), ...leftOutWords(fix)].filter((one) => one !== "");
  return (
    <section aria-label="Since it was resolved" className={classes.proof}>
      <div className={classes.proofLine}>
        <Dot color={color}>{word}</Dot>
        <span className={classes.quiet}>
          Resolved <Ago at={at} />
        </span>
      </div>
      <p className={`${classes.quiet} tabular`}>
        {shareWords(before)} of the conversations in {formatCount(days)} days before, {shareWords(since)} since.
        {difference === null
          ? ""
          : ` ${pointsWords(difference.rate)} points; 95% interval ${pointsWords(difference.low)} to ${pointsWords(difference.high)}, valid at every look.`}
      </p>
      {explained.length === 0 ? null : <p className={classes.quiet}>{explained.join(" ")}</p>}
    </section>
  );
}
