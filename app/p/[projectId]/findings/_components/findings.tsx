"use client";
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { DownloadMenu } from "@/app/_components/controls/download-menu";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useRememberList } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useKeys } from "@/app/_lib/use-keys";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import { useReviewActions } from "../[findingId]/_components/use-review";
import { COLUMNS } from "./columns";
import { CoverageNote } from "./coverage-note";
import { FindingFilters } from "./finding-filters";
import { FindingPeek } from "./finding-peek";
import classes from "./findings.module.css";
import { FindingsEmpty } from "./findings-empty";
import { LastVisitProvider } from "./last-visit";
import { TabCount, useTabCounts } from "./tab-counts";
import { useFindings } from "./use-findings";
import { useHandOffAction } from "./use-hand-off-action";
import { fileHref, isFiltered, listInput, searchOf, TAB_VALUES, TABS, viewParsers } from "./view";

export function Findings({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(`/p/${projectId}/findings`, searchOf(view));
  const { list, rows } = useFindings(projectId, view, openedAt);
  const status = useQuery(trpc.diagnostics.status.queryOptions({ projectId }, { refetchInterval: 10_000 }));
  const input = listInput(projectId, view, openedAt);
  const { choices, actions, dialog } = useReviewActions(projectId, input);
  const handOff = useHandOffAction(projectId);
  const counts = useTabCounts(projectId, view, openedAt);
  const goToTab = (name: string | null | undefined) =>
    void setView({ tab: TAB_VALUES.find((known) => known === name) ?? "review", peek: null });
  const goToTabBeside = (by: 1 | -1) => goToTab(TAB_VALUES.at((TAB_VALUES.indexOf(view.tab) + by) % TABS.length));
  useKeys({
    "]": () => goToTabBeside(1),
    "[": () => goToTabBeside(-1),
  });

  return (
    <LastVisitProvider projectId={projectId}>
      <PageHeader
        title="Findings"
        aside={
          <>
            <ViewsMenu projectId={projectId} list="findings" parsers={viewParsers} />
            <ColumnMenu columns={COLUMNS} />
            <DownloadMenu what="Findings" hrefOf={(format) => fileHref(projectId, view, openedAt, format)} />
          </>
        }
      >
        <FindingFilters view={view} setView={setView} />
      </PageHeader>
      <Tabs value={view.tab} onChange={goToTab} className={classes.tabs}>
        <Tabs.List px="xs" className={classes.tabList}>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} rightSection={<TabCount of={counts.get(value)} />}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={view.tab} className={panes.root}>
          <DataList
            list={list}
            name="Findings"
            what="Finding"
            filling={list.hasNextPage}
            note={<CoverageNote projectId={projectId} status={status.data?.status} />}
            columns={COLUMNS}
            rows={rows}
            rowId={(row) => row.id}
            rowName={(row) => row.title.replaceAll("`", "")}
            rowHref={(row) => `/p/${projectId}/findings/${encodeURIComponent(row.id)}`}
            rowHeight={66}
            minWidth={1200}
            minWidthAside={460}
            actions={[...actions, ...handOff.actions]}
            matching={{ filter: input }}
            peek={({ id, row, close, act, undo, busy }) => (
              <FindingPeek
                key={id}
                projectId={projectId}
                findingId={id}
                known={row}
                review={{ choices, apply: (finding, choice) => act(choice, finding), undo, busy }}
                onClose={close}
              />
            )}
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
        </Tabs.Panel>
      </Tabs>
      {handOff.dialog}
      {dialog}
    </LastVisitProvider>
  );
}
