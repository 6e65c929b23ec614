import { useQueries } from "@tanstack/react-query";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import classes from "./findings.module.css";
import { countInput, TAB_VALUES, type View } from "./view";

const POLL_MS = 15_000;

/** Returns how many Findings each tab lists under the other filters; `undefined` until that is known. */
export function useTabCounts(projectId: string, view: View, now: number) {
  const trpc = useTRPC();
  const counts = useQueries({
    queries: TAB_VALUES.map((tab) =>
      trpc.findings.count.queryOptions(countInput(projectId, view, tab, now), {
        refetchInterval: POLL_MS,
        placeholderData: (previous) => previous,
      }),
    ),
  });
  return new Map(TAB_VALUES.map((tab, index) => [tab, counts[index]?.data]));
}

/** The count next to a tab's name. It is not read aloud, because the list itself reports its count. */
export const TabCount = ({ of }: { of: { count: number; more: boolean } | undefined }) =>
  of ? (
    <span className={classes.count} aria-hidden>
      {formatCount(of.count)}
      {of.more ? "+" : ""}
    </span>
  ) : null;
