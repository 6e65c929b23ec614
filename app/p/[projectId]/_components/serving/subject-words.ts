import { formatCount, formatPercent, plural } from "@/app/_lib/format";
import type { Certificate } from "@/server/services/proof/certificates/schemas";

type Subject = NonNullable<Certificate["subjects"]>[number];

const DIGITS = 3;
/** A distance in nats with enough digits to tell forms apart: `0.0041`, `1.2`; an unknown is a dash. */
export const distanceWords = (distance: number | null) =>
  distance === null ? "—" : distance === 0 ? "0" : Number(distance.toPrecision(DIGITS)).toString();

/** `212 of 220`, and that share. */
export const tokensWords = ({ tokensEqual, tokensCompared }: Pick<Subject, "tokensEqual" | "tokensCompared">) =>
  tokensCompared === 0
    ? "None compared"
    : `${formatCount(tokensEqual)} of ${formatCount(tokensCompared)} (${formatPercent(tokensEqual / tokensCompared)})`;

/** Why a form has its verdict, in a sentence. */
export function subjectReason(subject: Subject): string {
  if (subject.error !== null) return subject.error.message;
  const said = `${tokensWords(subject)} tokens are equal over ${plural(subject.prompts, "prompt")}`;
  return subject.meanLogprobDistance === null
    ? `${said}.`
    : `${said}, at a mean distance of ${distanceWords(subject.meanLogprobDistance)} nats per token.`;
}

/** The thresholds of a verdict as the trainer names them: `mean ≤ 0.02`. */
export const thresholdWords = ({ threshold }: Pick<Subject, "threshold">) =>
  Object.entries(threshold)
    .flatMap(([name, value]) => (value === null ? [] : [`${name.replaceAll("_", " ")} ${distanceWords(value)}`]))
    .join(", ");
