import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { FindingFix } from "@/server/services/diagnostics/findings/schemas";
import type { Fix, MarkDimension } from "@/server/services/diagnostics/fixes/schemas";

type Word = { word: string; color: string; says: string; hollow?: true };

export const FIX_VERDICT: Record<FindingFix["verdict"], Word> = {
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
const WAITING: Word = { word: "Waiting", color: "var(--severity-info)", says: "", hollow: true };

/** How a fix stands: its verdict, or that no conversation has it yet. */
export const standingOf = ({ startedAt, verdict }: Pick<Fix, "startedAt" | "verdict">): Word =>
  startedAt === null ? WAITING : FIX_VERDICT[verdict ?? "not_enough"];

export const FIX_KIND: Record<NonNullable<Fix["kind"]>, string> = {
  code: "Code",
  prompt: "Prompt",
  model: "Model",
  weights: "Weights",
};

const MARKS: Record<MarkDimension, string> = {
  version: "Version",
  prompt: "Prompt",
  model: "Model",
  label: "Label",
};
/** How a fix went out: `Version shop 2.5.0`, `Resolved`. */
export const releaseWords = ({ by, value }: { by: MarkDimension | null; value: string | null }) =>
  by === null ? "Resolved" : value === null ? "The next version" : `${MARKS[by]} ${value}`;

const END_WORDS: Record<NonNullable<Fix["endReason"]>, string> = {
  over: "Watched for 56 days.",
  stopped: "A person stopped watching it.",
  replaced: "The Finding was resolved again.",
  reopened: "The Finding was reopened.",
  merged: "The Finding was merged into another.",
};

/** Why a fix is no longer watched. */
export const endWords = ({ by }: Pick<Fix, "by">, reason: NonNullable<Fix["endReason"]>) =>
  by !== null && reason === "replaced" ? "Another checkpoint answers under this name." : END_WORDS[reason];

type Measured = Omit<FindingFix, "id" | "at">;

/** `2.0% (56 of 2,800)`. */
export const shareWords = ({ affected, conversations, rate }: Measured["before"]) =>
  `${formatPercent(rate?.rate)} (${formatCount(affected)} of ${formatCount(conversations)})`;

/** What a verdict takes that cannot be given yet. */
export function neededWords({ verdict, needed, since, before }: Measured): string {
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
export function leftOutWords(measured: Measured): string[] {
  const { notRead, withoutPast, withoutSince, withoutFix, comparedBy, calmPast, by, laterVersions } = measured;
  const unread = notRead.before + notRead.since;
  return [
    ...(laterVersions.length > 0 ? [`Later versions have it too: ${laterVersions.join(", ")}.`] : []),
    ...(withoutFix > 0 ? [`Left out: ${plural(withoutFix, "conversation")} since without it.`] : []),
    ...(unread > 0
      ? [
          `Left out: ${plural(unread, "conversation")} (${formatCount(notRead.before)} before, ${formatCount(notRead.since)} since) not read by the same version of the Rule with the same settings.`,
        ]
      : []),
    ...(withoutPast > 0
      ? [`Left out: ${plural(withoutPast, "conversation")} since with a model or labels that none before had.`]
      : []),
    ...(withoutSince > 0
      ? [`Left out: ${plural(withoutSince, "conversation")} before with models or labels that none since has.`]
      : []),
    ...(comparedBy === "labels" && by !== "model"
      ? ["The models from before are no longer used, so models are compared as one."]
      : []),
    ...(calmPast ? ["It went out at a peak, so only the days before the peak are compared."] : []),
  ];
}

/** What a fix has brought: `About 16 conversations without it (4 to 27)`. */
export function avoidedWords({ avoided }: Pick<Fix, "avoided">): string | null {
  if (avoided === null) return null;
  const [low, high] = [Math.round(avoided.low), Math.round(avoided.high)];
  return `${formatCount(Math.round(avoided.conversations))} (${formatCount(low)} to ${formatCount(high)})`;
}
