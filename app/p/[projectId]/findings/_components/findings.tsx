"use client";
import { Tabs } from "@mantine/core";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useCallback, useEffect, useMemo, useState } from "react";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataTable } from "@/app/_components/data-table/data-table";
import { ListFoot } from "@/app/_components/data-table/list-foot";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { focusRow, rowInFocus } from "@/app/_components/data-table/use-row-keys";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useRememberList } from "@/app/_lib/list-place";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { useReview, useReviewKeys } from "../[findingId]/_components/use-review";
import { COLUMNS, HIDDEN_BESIDE_PEEK, HIDEABLE } from "./columns";
import { CoverageNote } from "./coverage-note";
import { FindingFilters } from "./finding-filters";
import { FindingPeek } from "./finding-peek";
import classes from "./findings.module.css";
import { FindingsEmpty } from "./findings-empty";
import { isFiltered, keeps, listInput, searchOf, TAB_VALUES, TABS, tabOf, viewParsers } from "./view";

/** A tab that keeps few of the rows that came asks on until it has these many. */
const ROWS_WANTED = 30;

export function Findings({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(`/p/${projectId}/findings`, searchOf(view));
  const [now] = useState(openedAt);
  const tab = tabOf(view);
  const { resolution } = view;
  const list = useInfiniteQuery(
    trpc.findings.list.infiniteQueryOptions(listInput(projectId, view, now), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) <= 1 ? 15_000 : false),
    }),
  );
  const status = useQuery(trpc.diagnostics.status.queryOptions({ projectId }, { refetchInterval: 10_000 }));
  const rows = useMemo(
    () =>
      list.data?.pages.flatMap((page) => page.findings.filter((one) => keeps({ tab: tab.value, resolution }, one))) ??
      [],
    [list.data, tab, resolution],
  );
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  useEffect(() => {
    if (rows.length < ROWS_WANTED && !isFetchNextPageError) more();
  }, [rows.length, isFetchNextPageError, more]);
  const goToTab = (by: number) =>
    void setView({
      tab: TAB_VALUES[(TAB_VALUES.indexOf(tab.value) + by + TABS.length) % TABS.length] ?? "review",
      peek: null,
    });
  useKeys({
    [ESC]: () => view.peek && void setView({ peek: null }),
    "]": () => goToTab(1),
    "[": () => goToTab(-1),
  });
  const peeked = rows.find((row) => row.id === view.peek);
  const queries = useQueryClient();
  const review = useReview(projectId, (changed) => {
    const at = rows.findIndex((row) => row.id === changed.id);
    if (at < 0 || keeps(view, changed)) return;
    // It leaves this tab: the next one is looked at, and never one that nobody looks at is acted on.
    const next = rows[at + 1] ?? rows[at - 1];
    const focused = rowInFocus();
    if (view.peek === changed.id) void setView({ peek: next?.id ?? null });
    if (next && (focused === null || focused === changed.id)) focusRow(next.id);
  });
  useReviewKeys(review, () => {
    const id = rowInFocus() ?? view.peek;
    if (id === null) return undefined;
    const whole = queries.getQueryData(trpc.findings.get.queryKey({ projectId, findingId: id }))?.finding;
    const row = rows.find((one) => one.id === id);
    return id === view.peek ? (whole ?? row) : row;
  });

  return (
    <>
      <PageHeader
        title="Findings"
        aside={<ColumnMenu columns={HIDEABLE} hidden={view.hide} onChange={(hide) => void setView({ hide })} />}
      >
        <FindingFilters view={view} setView={setView} />
      </PageHeader>
      <Tabs
        value={tab.value}
        onChange={(value) => void setView({ tab: TAB_VALUES.find((known) => known === value) ?? "review", peek: null })}
        className={classes.tabs}
      >
        <Tabs.List px="xs" className={classes.tabList}>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab.value} className={panes.root}>
          <div className={panes.list}>
            {rows.length > 0 ? (
              <>
                <StaleNote error={list.error} dataUpdatedAt={list.dataUpdatedAt} onRetry={() => void list.refetch()} />
                <CoverageNote projectId={projectId} status={status.data?.status} />
                <DataTable
                  label="Findings"
                  columns={COLUMNS}
                  rows={rows}
                  rowId={(row) => row.id}
                  rowHref={(row) => `/p/${projectId}/findings/${encodeURIComponent(row.id)}`}
                  hidden={view.peek ? HIDDEN_BESIDE_PEEK : view.hide}
                  rowHeight={54}
                  minWidth={view.peek ? 460 : 1030}
                  activeId={view.peek}
                  onPeek={(row) => void setView({ peek: row.id === view.peek ? null : row.id })}
                  onEnd={hasNextPage ? more : undefined}
                  busy={list.isPlaceholderData}
                >
                  <ListFoot shown={rows.length} what="Finding" list={list} />
                </DataTable>
              </>
            ) : list.error ? (
              <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
            ) : list.isPending || hasNextPage ? (
              <TableSkeleton rowHeight={54} rows={10} label="Loading Findings" />
            ) : (
              <FindingsEmpty
                projectId={projectId}
                tab={tab.value}
                filtered={isFiltered(view)}
                status={status.data?.status}
                setView={setView}
              />
            )}
          </div>
          {view.peek ? (
            <FindingPeek
              key={view.peek}
              projectId={projectId}
              findingId={view.peek}
              known={peeked}
              review={review}
              onClose={() => void setView({ peek: null })}
            />
          ) : null}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
