"use client";
import { IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { CsvButton } from "@/app/_components/controls/csv-button";
import { RefreshButton } from "@/app/_components/controls/refresh-button";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { actionWords } from "../../_components/audit/audit-words";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import { AuditFilters } from "./audit-filters";
import { AuditPeek } from "./audit-peek";
import { columnsOf, REPEATED } from "./columns";
import { csvHref, isFiltered, listInput, NO_FILTERS, viewParsers } from "./view";

export function AuditLog({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  // "Last 24 hours" is relative to when the list was opened or refreshed, so that its pages belong together.
  const [now, setNow] = useState(openedAt);
  const list = useInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions(listInput(projectId, view, now), {
      ...nextPage,
      placeholderData: (previous) => previous,
    }),
  );
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  const refresh = () => {
    setNow(Date.now());
    if (view.range === null || view.range === "custom") void list.refetch();
  };
  const columns = columnsOf(projectId, (actor) => void setView({ actor }));
  return (
    <ListPage
      title="Audit log"
      filters={
        <AuditFilters
          view={view}
          setView={setView}
          actorName={entries.find(({ actor }) => actor.id === view.actor)?.actor.name ?? null}
        />
      }
      menus={<ViewsMenu projectId={projectId} list="audit" parsers={viewParsers} />}
      buttons={
        <>
          <CsvButton href={csvHref(projectId, view, now)} />
          <RefreshButton busy={list.isRefetching} onRefresh={refresh} />
        </>
      }
      list={list}
      what="change"
      columns={columns}
      rows={entries}
      rowId={(entry) => entry.id}
      rowName={(entry) => actionWords(entry.action)}
      // A log filtered by object shows each of its changes.
      fold={view.target === null ? REPEATED : undefined}
      rowHeight={52}
      minWidth={760}
      minWidthAside={420}
      peek={({ row, close }) => <AuditPeek projectId={projectId} entry={row} onClose={close} />}
      empty={<Nothing filtered={isFiltered(view)} onClear={() => void setView(NO_FILTERS)} />}
    />
  );
}

function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  return filtered ? (
    <NoMatch title="No changes match" onClear={onClear} />
  ) : (
    <EmptyState icon={IconHistory} title="No changes yet">
      Every change in this project, whether by a person, a key or a job, is recorded here permanently.
    </EmptyState>
  );
}
