import type { DetectedSignal } from "../../types";
import type { Correction } from "./corrections";

const LIKELY_SCORE = 0.4;
const PERHAPS_SCORE = 0.25;

/** Returns the score, the verdict and the cause of a Signal about a correction, by how certain it is that it is one. */
export const byCertainty = (
  { certainty }: Correction,
  sureScore: number,
  cause: string,
): Pick<DetectedSignal, "score" | "verdict" | "cause"> =>
  certainty === "sure"
    ? { score: sureScore, verdict: "match", cause }
    : { score: certainty === "likely" ? LIKELY_SCORE : PERHAPS_SCORE, verdict: "ambiguous", cause: `perhaps ${cause}` };
