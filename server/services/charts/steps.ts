import { type SQL, sql } from "drizzle-orm";
import { unprocessable } from "@/server/platform/errors";
import { type ChartStep, POINTS_MAX, STEPS } from "./types";

type Range = { from: number; to: number };

/** Expands a range to whole steps, with the start of each. Throws a 422 if it is empty or has too many. */
export function wholeSteps({ from, to }: Range, step: ChartStep): Range & { at: number[] } {
  if (from >= to) throw unprocessable("/to", "The end must be after the beginning.");
  const { width, first } = STEPS[step];
  const begin = Math.floor((from - first) / width) * width + first;
  const count = Math.ceil((to - begin) / width);
  if (count > POINTS_MAX) throw unprocessable("/to", `At most ${POINTS_MAX} ${step}s: choose a longer step.`);
  const at = Array.from({ length: count }, (_, n) => begin + n * width);
  return { from: begin, to: begin + count * width, at };
}

/** SQL of the start of the step that a time is in. */
export function stepOf(time: SQL, step: ChartStep): SQL {
  const { width, first } = STEPS[step];
  return sql`((${time} - ${first}::bigint) / ${width}::bigint * ${width}::bigint + ${first}::bigint)`;
}

/** SQL of the start of the first step that is entirely after a time; `null` for none. */
export const stepAfter = (time: SQL, step: ChartStep): SQL =>
  sql`(${stepOf(time, step)} + ${STEPS[step].width}::bigint)`;
