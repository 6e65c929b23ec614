"use client";
import { Button } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { RefreshButton } from "@/app/_components/controls/refresh-button";
import { SearchInput } from "@/app/_components/controls/search-input";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useRememberList } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { COLUMNS, HIDDEN_BESIDE_PEEK, HIDEABLE } from "./columns";
import classes from "./conversations.module.css";
import { ConversationsEmpty } from "./conversations-empty";
import { Facets } from "./facets";
import { Peek } from "./peek";
import { facetsChosen, facetsInput, isFiltered, listInput, searchOf, viewParsers } from "./view";

export function Conversations({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(`/p/${projectId}/conversations`, searchOf(view));
  // "Last 24 hours" is relative to when the list was opened or refreshed, so that its pages belong together.
  const [now, setNow] = useState(openedAt);
  const [showFacets, setShowFacets] = useState(false);
  const list = useInfiniteQuery(
    trpc.conversations.list.infiniteQueryOptions(listInput(projectId, view, now), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: (query) => ((query.state.data?.pages.length ?? 0) <= 1 ? 20_000 : false),
    }),
  );
  const facets = useQuery(
    trpc.conversations.facets.queryOptions(facetsInput(projectId, view, now), {
      placeholderData: (previous) => previous,
    }),
  );
  const chosen = facetsChosen(view);
  const rows = list.data?.pages.flatMap((page) => page.conversations) ?? [];
  const refresh = () => {
    setNow(Date.now());
    if (view.range === null || view.range === "custom") void Promise.all([list.refetch(), facets.refetch()]);
  };
  useKeys({ [ESC]: () => view.peek && void setView({ peek: null }) });

  return (
    <>
      <PageHeader
        title="Conversations"
        aside={
          <>
            <ColumnMenu columns={HIDEABLE} hidden={view.hide} onChange={(hide) => void setView({ hide })} />
            <RefreshButton busy={list.isRefetching} onRefresh={refresh} />
          </>
        }
      >
        <SearchInput label="Search in messages" value={view.q} onChange={(q) => void setView({ q: q || null })} />
        <TimeRangePicker what="Started" value={view} onChange={(range) => void setView(range)} />
        <Button
          className={classes.facetsToggle}
          variant="default"
          leftSection={<IconFilter size={14} aria-hidden />}
          aria-expanded={showFacets}
          onClick={() => setShowFacets(!showFacets)}
        >
          Filters{chosen > 0 ? ` (${chosen})` : ""}
        </Button>
      </PageHeader>
      <div className={panes.root}>
        <Facets view={view} setView={setView} facets={facets.data?.facets} shown={showFacets} />
        <div className={panes.list}>
          <DataList
            list={list}
            label="Conversations"
            what="conversation"
            loading="Loading conversations"
            columns={COLUMNS}
            rows={rows}
            rowId={(row) => row.id}
            rowHref={(row) => `/p/${projectId}/conversations/${encodeURIComponent(row.id)}`}
            hidden={view.peek ? HIDDEN_BESIDE_PEEK : view.hide}
            minWidth={view.peek ? 400 : 1000}
            activeId={view.peek}
            onPeek={(row) => void setView({ peek: row.id === view.peek ? null : row.id })}
            empty={<ConversationsEmpty projectId={projectId} filtered={isFiltered(view)} setView={setView} />}
          />
        </div>
        {view.peek ? (
          <Peek
            key={view.peek}
            projectId={projectId}
            conversationId={view.peek}
            onClose={() => void setView({ peek: null })}
          />
        ) : null}
      </div>
    </>
  );
}
