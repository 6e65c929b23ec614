"use client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { DownloadMenu } from "@/app/_components/controls/download-menu";
import { RefreshButton } from "@/app/_components/controls/refresh-button";
import { SearchInput } from "@/app/_components/controls/search-input";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import { SampledNote } from "@/app/_components/data-table/sampled-note";
import { ChosenFilters, FacetsToggle } from "@/app/_components/facets/facets";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useRememberList } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import { useConversationActions } from "./bulk/use-conversation-actions";
import { COLUMNS } from "./columns";
import { ConversationsEmpty } from "./conversations-empty";
import { Facets } from "./facets";
import { HistogramPanel } from "./histogram/histogram";
import { Peek } from "./peek";
import { chosenFilters, fileHref, filterInput, isFiltered, listInput, searchOf, viewParsers } from "./view";

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
    trpc.conversations.facets.queryOptions(filterInput(projectId, view, now), {
      placeholderData: (previous) => previous,
    }),
  );
  const { actions, dialogs } = useConversationActions(projectId, view, now);
  const finding = useQuery(
    trpc.findings.get.queryOptions({ projectId, findingId: view.finding ?? "" }, { enabled: view.finding !== null }),
  );
  const chosen = chosenFilters(view, { findingTitle: finding.data?.finding.title });
  const rows = list.data?.pages.flatMap((page) => page.conversations) ?? [];
  const refresh = () => {
    setNow(Date.now());
    if (view.range === null || view.range === "custom") void Promise.all([list.refetch(), facets.refetch()]);
  };

  return (
    <>
      <PageHeader
        title="Conversations"
        aside={
          <>
            <ViewsMenu projectId={projectId} list="conversations" parsers={viewParsers} />
            <ColumnMenu columns={COLUMNS} />
            <DownloadMenu what="conversations" hrefOf={(format) => fileHref(projectId, view, now, format)} />
            <RefreshButton busy={list.isRefetching} onRefresh={refresh} />
          </>
        }
      >
        <SearchInput label="Search messages and IDs" value={view.q} onChange={(q) => void setView({ q: q || null })} />
        <TimeRangePicker what="Started" value={view} onChange={(range) => void setView(range)} />
        <FacetsToggle chosen={chosen.length} shown={showFacets} onToggle={() => setShowFacets(!showFacets)} />
      </PageHeader>
      <div className={panes.root}>
        <Facets view={view} setView={setView} facets={facets.data?.facets} shown={showFacets} />
        <div className={panes.list}>
          <ChosenFilters
            filters={chosen.map(({ id, text, without }) => ({ id, text, onRemove: () => void setView(without) }))}
          />
          <HistogramPanel
            projectId={projectId}
            view={view}
            now={now}
            onZoom={(range) => void setView(range)}
            onReset={() => void setView({ range: null, from: null, to: null })}
          />
          <DataList
            list={list}
            name="Conversations"
            what="conversation"
            columns={COLUMNS}
            rows={rows}
            rowId={(row) => row.id}
            rowName={(row) => row.preview ?? row.externalId ?? row.id}
            rowHref={(row) => `/p/${projectId}/conversations/${encodeURIComponent(row.id)}`}
            rowHeight={40}
            minWidth={1000}
            minWidthAside={400}
            actions={actions}
            matching={{ filter: listInput(projectId, view, now) }}
            note={<SampledNote what="conversations" sampled={list.data?.pages[0]?.sampled} />}
            peek={({ id, close }) => <Peek key={id} projectId={projectId} conversationId={id} onClose={close} />}
            empty={<ConversationsEmpty projectId={projectId} filtered={isFiltered(view)} setView={setView} />}
          />
        </div>
      </div>
      {dialogs}
    </>
  );
}
