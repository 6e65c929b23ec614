import { createLoader, createSerializer, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers, sortInput } from "@/app/_components/data-table/list-view";
import { formatCompact } from "@/app/_lib/format";
import type { BackgroundJob, BackgroundJobSummary } from "@/server/services/background-jobs/schemas";

type State = BackgroundJob["state"];

/** The most common reason for opening the page comes first. */
export const STATES = [
  "failed",
  "retrying",
  "running",
  "queued",
  "sleeping",
  "waiting",
  "completed",
  "cancelled",
] as const satisfies readonly State[];

/** The page's state, stored in the URL. */
export const viewParsers = {
  state: parseAsStringLiteral(STATES),
  function: parseAsString,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;
const searchOf = createSerializer(viewParsers);

/** Returns the URL that opens a job next to the list, with the same filters. */
export const peekHref = (view: View, id: string) => searchOf("?", { ...view, peek: id });

const PAGE = 100;
/** The server's maximum length of a filter. */
const FILTER_MAX = 200;

/** The server's orders by column. */
const SORTS = { queued: "created", took: "duration", attempts: "attempts" } as const;

export const listInput = (projectId: string, view: View) => ({
  projectId,
  limit: PAGE,
  ...(view.state !== null ? { state: view.state } : {}),
  ...(view.function ? { functionId: view.function.slice(0, FILTER_MAX) } : {}),
  ...sortInput(view.sort, SORTS),
});

export const isFiltered = (view: View) => view.state !== null || view.function !== null;
export const NO_FILTERS = { state: null, function: null };

const UNFINISHED = ["queued", "running", "retrying", "sleeping", "waiting"] as const satisfies readonly State[];
const ENDED_EARLY = ["failed", "cancelled"] as const satisfies readonly State[];

/** Returns the number of jobs in a state (`null`: in all), and whether the count reached its maximum. */
export function countOf({ counts, countedUpTo }: BackgroundJobSummary, state: State | null) {
  const sum = (states: readonly State[]) => states.reduce((total, one) => total + counts[one], 0);
  const countedWith = [UNFINISHED, ENDED_EARLY].find((group) => group.some((one) => one === state)) ?? STATES;
  return { count: sum(state === null ? STATES : [state]), andMore: sum(countedWith) >= countedUpTo };
}

export const countWords = ({ count, andMore }: ReturnType<typeof countOf>) =>
  `${formatCompact(count)}${andMore ? "+" : ""}`;
