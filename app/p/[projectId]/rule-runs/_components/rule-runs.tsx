"use client";
import { Button } from "@mantine/core";
import { IconListCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { SampledNote } from "@/app/_components/data-table/sampled-note";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ruleWords } from "../../_components/findings/rule-words";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import { columnsOf, conversationOf, NOTHING_FOUND } from "./columns";
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
  const columns = columnsOf(projectId);
  const rows = list.data?.pages.flatMap((page) => page.runs) ?? [];

  return (
    <>
      <PageHeader
        title="Rule Runs"
        aside={
          <>
            <ViewsMenu projectId={projectId} list="rule-runs" parsers={viewParsers} />
            <ColumnMenu columns={columns} />
          </>
        }
      >
        <RunFilters view={view} setView={setView} />
      </PageHeader>
      <DataList
        list={list}
        name="Rule Runs"
        what="Rule Run"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowName={(row) => `${ruleWords(row.ruleId)} on ${conversationOf(row)}`}
        rowHref={(row) => `/p/${projectId}/conversations/${encodeURIComponent(row.conversationId)}`}
        fold={view.status === null ? NOTHING_FOUND : undefined}
        rowHeight={52}
        minWidth={1000}
        minWidthAside={480}
        note={<SampledNote what="Rule Runs" sampled={list.data?.pages[0]?.sampled} />}
        peek={({ id, close }) => <RunPeek key={id} projectId={projectId} runId={id} onClose={close} />}
        empty={<Nothing projectId={projectId} filtered={isFiltered(view)} onClear={() => void setView(NO_FILTERS)} />}
      />
    </>
  );
}

type NothingProps = { projectId: string; filtered: boolean; onClear: () => void };

const Nothing = ({ projectId, filtered, onClear }: NothingProps) =>
  filtered ? (
    <NoMatch title="No Rule Run matches" onClear={onClear} />
  ) : (
    <EmptyState
      icon={IconListCheck}
      title="No Rule Runs yet"
      action={
        <Button component={Link} href={`/p/${projectId}/send-a-trace`}>
          Send your first trace
        </Button>
      }
    >
      A Rule Run is one Rule checking one conversation. Runs start automatically when a conversation is inactive, or on
      request on its page.
    </EmptyState>
  );
