"use client";
import { Button } from "@mantine/core";
import { IconListCheck } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { ListPage } from "@/app/_components/data-table/list-page";
import { SampledNote } from "@/app/_components/data-table/sampled-note";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import { useRuleNames } from "../../_components/findings/rule-name";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import { columnsOf, conversationOf, NOTHING_FOUND } from "./columns";
import { RunFilters } from "./run-filters";
import { RunPeek } from "./run-peek";
import { isFiltered, listInput, NO_FILTERS, viewParsers } from "./view";

const BUSY_MS = 2500;

export function RuleRuns({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const nameOf = useRuleNames();
  const list = useInfiniteQuery(
    trpc.ruleRuns.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: pollList((page) => page.runs.some(({ status }) => status === "queued" || status === "running"), {
        busyMs: BUSY_MS,
      }),
    }),
  );
  const columns = columnsOf(projectId);
  const rows = list.data?.pages.flatMap((page) => page.runs) ?? [];

  return (
    <ListPage
      title="Rule Runs"
      filters={<RunFilters view={view} setView={setView} />}
      menus={<ViewsMenu projectId={projectId} list="rule-runs" parsers={viewParsers} />}
      list={list}
      what="Rule Run"
      columns={columns}
      rows={rows}
      rowId={(row) => row.id}
      rowName={(row) => `${nameOf(row.ruleId)} on ${conversationOf(row)}`}
      rowHref={(row) => `/p/${projectId}/conversations/${encodeURIComponent(row.conversationId)}`}
      fold={view.status === null ? NOTHING_FOUND : undefined}
      rowHeight={52}
      minWidth={1000}
      minWidthAside={480}
      note={<SampledNote what="Rule Runs" sampled={list.data?.pages[0]?.sampled} />}
      peek={({ id, close }) => <RunPeek key={id} projectId={projectId} runId={id} onClose={close} />}
      empty={<Nothing projectId={projectId} filtered={isFiltered(view)} onClear={() => void setView(NO_FILTERS)} />}
    />
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
