import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useReadMore } from "@/app/_components/data-table/use-read-more";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import { keeps, listInput, type View } from "./view";

/** A tab that filters out most of the loaded rows keeps loading until it has this many. */
const ROWS_WANTED = 30;

/** Returns the view's Findings; "last 24 hours" counts from `openedAt`. */
export function useFindings(projectId: string, view: View, openedAt: number) {
  const trpc = useTRPC();
  const [now] = useState(openedAt);
  const { tab, resolution } = view;
  const list = useInfiniteQuery(
    trpc.findings.list.infiniteQueryOptions(listInput(projectId, view, now), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: pollList(),
    }),
  );
  const rows = useMemo(
    () => list.data?.pages.flatMap((page) => page.findings.filter((one) => keeps({ tab, resolution }, one))) ?? [],
    [list.data, tab, resolution],
  );
  const readMore = useReadMore(list);
  const { isFetchNextPageError } = list;
  useEffect(() => {
    if (rows.length < ROWS_WANTED && !isFetchNextPageError) readMore?.();
  }, [rows.length, isFetchNextPageError, readMore]);
  return { list, rows };
}
