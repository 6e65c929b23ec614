"use client";
import { Button } from "@mantine/core";
import { IconFilterOff, IconListCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { COLUMNS, HIDDEN_BESIDE_PEEK, HIDEABLE } from "./columns";
import { RunFilters } from "./run-filters";
import { RunPeek } from "./run-peek";
import { isFiltered, listInput, NO_FILTERS, viewParsers } from "./view";

const BUSY_MS = 2500;
const QUIET_MS = 15_000;

export function RuleRuns({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useInfiniteQuery(
    trpc.ruleRuns.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: (query) => {
        const pages = query.state.data?.pages ?? [];
        if (pages.length > 1) return false;
        const busy = pages.some((page) => page.runs.some(({ status }) => status === "queued" || status === "running"));
        return busy ? BUSY_MS : QUIET_MS;
      },
    }),
  );
  const rows = list.data?.pages.flatMap((page) => page.runs) ?? [];
  useKeys({ [ESC]: () => view.peek && void setView({ peek: null }) });

  return (
    <>
      <PageHeader
        title="Rule Runs"
        aside={<ColumnMenu columns={HIDEABLE} hidden={view.hide} onChange={(hide) => void setView({ hide })} />}
      >
        <RunFilters view={view} setView={setView} />
      </PageHeader>
      <div className={panes.root}>
        <div className={panes.list}>
          <DataList
            list={list}
            label="Rule Runs"
            what="Rule Run"
            loading="Loading Rule Runs"
            columns={COLUMNS}
            rows={rows}
            rowId={(row) => row.id}
            rowHref={(row) => `/p/${projectId}/conversations/${encodeURIComponent(row.conversationId)}`}
            hidden={view.peek ? HIDDEN_BESIDE_PEEK : view.hide}
            minWidth={view.peek ? 480 : 1000}
            activeId={view.peek}
            onPeek={(row) => void setView({ peek: row.id === view.peek ? null : row.id })}
            empty={
              <Nothing projectId={projectId} filtered={isFiltered(view)} onClear={() => void setView(NO_FILTERS)} />
            }
          />
        </div>
        {view.peek ? (
          <RunPeek
            key={view.peek}
            projectId={projectId}
            runId={view.peek}
            onClose={() => void setView({ peek: null })}
          />
        ) : null}
      </div>
    </>
  );
}

type NothingProps = { projectId: string; filtered: boolean; onClear: () => void };

const Nothing = ({ projectId, filtered, onClear }: NothingProps) =>
  filtered ? (
    <EmptyState
      icon={<IconFilterOff size={32} stroke={1.5} aria-hidden />}
      title="No Rule Run matches"
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      There may be others outside these filters.
    </EmptyState>
  ) : (
    <EmptyState
      icon={<IconListCheck size={32} stroke={1.5} aria-hidden />}
      title="No Rule Runs yet"
      action={
        <Button component={Link} href={`/p/${projectId}/send-a-trace`}>
          Send your first trace
        </Button>
      }
    >
      A Rule Run is one Rule reading one conversation. Runs start by themselves when a conversation has been quiet for a
      while, or when you ask on its page.
    </EmptyState>
  );
