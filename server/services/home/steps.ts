import type { HomeStep } from "./schemas";

type Known = {
  hasConversations: boolean;
  wasDiagnosed: boolean;
  wasReviewed: boolean;
  findingsForReview: number;
};
/** What only a caller who may read the workspace learns. */
type Work = {
  candidates: number;
  hasExamples: boolean;
  hasTrainer: boolean;
  jobsRunning: number;
  wasTrained: boolean;
  evaluationsRunning: number;
  wasProven: boolean;
};

type State = Pick<HomeStep, "state" | "count">;
const UNKNOWN: State = { state: null, count: null };
const is = (state: HomeStep["state"]): State => ({ state, count: null });
const doneIf = (isDone: boolean) => is(isDone ? "done" : "to_do");
const waiting = (count: number, otherwise: State): State => (count > 0 ? { state: "waiting", count } : otherwise);
const running = (count: number, otherwise: State): State => (count > 0 ? { state: "running", count } : otherwise);

/** Returns where a project stands in each step of the loop, in order. */
export function stepsOf(known: Known, work: Work | null): HomeStep[] {
  return [
    { name: "send", ...doneIf(known.hasConversations) },
    { name: "diagnose", ...doneIf(known.wasDiagnosed) },
    { name: "review", ...waiting(known.findingsForReview, doneIf(known.wasReviewed)) },
    { name: "collect", ...(work ? waiting(work.candidates, doneIf(work.hasExamples)) : UNKNOWN) },
    {
      name: "train",
      ...(work
        ? running(work.jobsRunning, work.wasTrained || work.hasTrainer ? doneIf(work.wasTrained) : is("missing"))
        : UNKNOWN),
    },
    { name: "prove", ...(work ? running(work.evaluationsRunning, doneIf(work.wasProven)) : UNKNOWN) },
  ];
}
