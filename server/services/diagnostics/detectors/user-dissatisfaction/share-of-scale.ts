import type { SnapshotFeedback } from "@/server/services/telemetry/feedback/schemas";

type Score = Pick<SnapshotFeedback, "kind" | "value" | "scale" | "name">;

/** Usual scales, smallest first. */
const SCALES = [
  { min: 0, max: 1 },
  { min: 1, max: 5 },
  { min: 1, max: 10 },
  { min: 0, max: 100 },
] as const;

/**
 * Returns where a score lies on its scale, 0..1: the given one, else the smallest usual one that covers this conversation's
 * scores of that name. `null` for a lone 1, which is the best of one scale and the worst of the next.
 */
export function shareOfScale(score: Score, all: readonly Score[]): number | null {
  const { value, scale } = score;
  if (typeof value !== "number") return null;
  if (scale) return (value - scale.min) / (scale.max - scale.min);
  if (value < 0) return 0;
  const highest = Math.max(value, highestLike(score, all));
  if (highest === 1 && value === 1) return null;
  const assumed = SCALES.find(({ max }) => highest <= max);
  return assumed ? Math.max(0, (value - assumed.min) / (assumed.max - assumed.min)) : null;
}

/** Returns the highest of the conversation's scores with this one's name. */
const highestLike = ({ name }: Score, all: readonly Score[]): number =>
  all.reduce(
    (highest, one) =>
      one.kind === "score" && one.name === name && typeof one.value === "number"
        ? Math.max(highest, one.value)
        : highest,
    Number.NEGATIVE_INFINITY,
  );

/** Returns a score with the scale that all of the conversation's scores imply, for callers that read only some of them. */
export function withAssumedScale<One extends Score>(score: One, all: readonly Score[]): One {
  if (score.kind !== "score" || score.scale) return score;
  const highest = highestLike(score, all);
  // If the highest is at most 1, any subset implies the same scale.
  const scale = highest > 1 ? SCALES.find(({ max }) => highest <= max) : undefined;
  return scale ? { ...score, scale } : score;
}
