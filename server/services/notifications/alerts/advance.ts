import type { Reading } from "./readings/readings";

/** Evaluations in a row beyond the limit until an alert fires. */
const FIRES_AFTER = 2;

export type Standing = { isFiring: boolean; streak: number };
export const QUIET: Standing = { isFiring: false, streak: 0 };

/**
 * Returns where an alert stands after a reading, and whether that is worth a message. What is not known moves nothing.
 * `clearsAfter`: evaluations in a row well inside the limit that end a firing.
 */
export function advance(
  { isFiring, streak }: Standing,
  { verdict }: Pick<Reading, "verdict">,
  clearsAfter: number,
): Standing & { event: "fired" | "cleared" | null } {
  const [wanted, needed] = isFiring ? (["inside", clearsAfter] as const) : (["beyond", FIRES_AFTER] as const);
  if (verdict !== wanted) return { isFiring, streak: 0, event: null };
  if (streak + 1 < needed) return { isFiring, streak: streak + 1, event: null };
  return { isFiring: !isFiring, streak: 0, event: isFiring ? "cleared" : "fired" };
}

/** Returns the state to show: an alert fires until it clears, whatever its last reading was. */
export const stateOf = ({ isFiring }: Standing, { verdict }: Pick<Reading, "verdict">) =>
  isFiring ? ("firing" as const) : verdict === "no_data" || verdict === "too_few" ? verdict : ("ok" as const);
