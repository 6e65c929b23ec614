"use client";
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useRememberList } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { COLUMNS, HIDDEN_BESIDE_PEEK, HIDEABLE } from "./columns";
import { CoverageNote } from "./coverage-note";
import { FindingFilters } from "./finding-filters";
import { FindingPeek } from "./finding-peek";
import classes from "./findings.module.css";
import { FindingsEmpty } from "./findings-empty";
import { useFindings } from "./use-findings";
import { useListReview } from "./use-list-review";
import { isFiltered, searchOf, TAB_VALUES, TABS, viewParsers } from "./view";

export function Findings({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(`/p/${projectId}/findings`, searchOf(view));
  const { list, rows } = useFindings(projectId, view, openedAt);
  const status = useQuery(trpc.diagnostics.status.queryOptions({ projectId }, { refetchInterval: 10_000 }));
  const peek = (id: string | null) => void setView({ peek: id });
  const review = useListReview({ projectId, view, rows, onPeek: peek });
  const goToTab = (name: string | null | undefined) =>
    void setView({ tab: TAB_VALUES.find((known) => known === name) ?? "review", peek: null });
  const goToTabBeside = (by: 1 | -1) => goToTab(TAB_VALUES.at((TAB_VALUES.indexOf(view.tab) + by) % TABS.length));
  useKeys({
    [ESC]: () => view.peek && peek(null),
    "]": () => goToTabBeside(1),
    "[": () => goToTabBeside(-1),
  });

  return (
    <>
      <PageHeader
        title="Findings"
        aside={<ColumnMenu columns={HIDEABLE} hidden={view.hide} onChange={(hide) => void setView({ hide })} />}
      >
        <FindingFilters view={view} setView={setView} />
      </PageHeader>
      <Tabs value={view.tab} onChange={goToTab} className={classes.tabs}>
        <Tabs.List px="xs" className={classes.tabList}>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={view.tab} className={panes.root}>
          <div className={panes.list}>
            <DataList
              list={list}
              label="Findings"
              what="Finding"
              loading="Loading Findings"
              filling={list.hasNextPage}
              note={<CoverageNote projectId={projectId} status={status.data?.status} />}
              columns={COLUMNS}
              rows={rows}
              rowId={(row) => row.id}
              rowHref={(row) => `/p/${projectId}/findings/${encodeURIComponent(row.id)}`}
              hidden={view.peek ? HIDDEN_BESIDE_PEEK : view.hide}
              rowHeight={54}
              minWidth={view.peek ? 460 : 1030}
              activeId={view.peek}
              onPeek={(row) => peek(row.id === view.peek ? null : row.id)}
              empty={
                <FindingsEmpty
                  projectId={projectId}
                  tab={view.tab}
                  filtered={isFiltered(view)}
                  status={status.data?.status}
                  setView={setView}
                />
              }
            />
          </div>
          {view.peek ? (
            <FindingPeek
              key={view.peek}
              projectId={projectId}
              findingId={view.peek}
              known={rows.find((row) => row.id === view.peek)}
              review={review}
              onClose={() => peek(null)}
            />
          ) : null}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
