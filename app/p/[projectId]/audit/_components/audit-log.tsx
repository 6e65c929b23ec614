"use client";
import { Button, NativeSelect, Table, UnstyledButton } from "@mantine/core";
import { IconDownload, IconFilterOff, IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { Fragment } from "react";
import { Ago } from "@/app/_components/ago";
import { ListFoot } from "@/app/_components/data-table/list-foot";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { EmptyState } from "@/app/_components/empty-state";
import { ErrorState } from "@/app/_components/error-state";
import { useNow } from "@/app/_components/now";
import { PageHeader } from "@/app/_components/page-header";
import { SearchInput } from "@/app/_components/search-input";
import { StaleNote } from "@/app/_components/stale-note";
import { TimeRangePicker } from "@/app/_components/time-range-picker";
import { useTRPC } from "@/app/_lib/trpc";
import classes from "./audit-log.module.css";
import { Change } from "./change";
import { filtersOf, isFiltered, NO_FILTERS, SUBJECTS, viewParsers } from "./view";

const MINUTE_MS = 60_000;
const COLUMNS = 5;

export function AuditLog({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  // To the minute: a preset's beginning must not move with every render.
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const filters = filtersOf(view, now);
  const list = useInfiniteQuery(
    trpc.audit.list.infiniteQueryOptions(
      { projectId, limit: 100, ...filters },
      {
        getNextPageParam: (page) => page.pagination.nextCursor ?? undefined,
        placeholderData: (previous) => previous,
      },
    ),
  );
  const entries = list.data?.pages.flatMap((page) => page.entries) ?? [];
  const asText = Object.entries(filters).map(([name, value]): [string, string] => [name, String(value)]);
  const csv = `/p/${encodeURIComponent(projectId)}/audit/export?${new URLSearchParams(asText)}`;
  return (
    <>
      <PageHeader
        title="Audit log"
        aside={
          <Button
            component="a"
            href={csv}
            download
            variant="default"
            leftSection={<IconDownload size={14} aria-hidden />}
          >
            CSV
          </Button>
        }
      >
        <SearchInput
          label="Id of what changed"
          width={200}
          value={view.target ?? ""}
          onChange={(target) => void setView({ target: target || null })}
        />
        <NativeSelect
          aria-label="About"
          value={view.action ?? ""}
          onChange={(event) => void setView({ action: event.currentTarget.value || null })}
          data={[
            { value: "", label: "About anything" },
            ...SUBJECTS,
            ...(view.action && !SUBJECTS.some(({ value }) => value === view.action) ? [view.action] : []),
          ]}
        />
        <TimeRangePicker what="When" value={view} onChange={(range) => void setView(range)} />
        {isFiltered(view) ? (
          <Button
            variant="subtle"
            leftSection={<IconFilterOff size={14} aria-hidden />}
            onClick={() => void setView(NO_FILTERS)}
          >
            Clear filters
          </Button>
        ) : null}
      </PageHeader>
      <div className={classes.body}>
        {entries.length > 0 ? (
          <>
            <StaleNote error={list.error} dataUpdatedAt={list.dataUpdatedAt} onRetry={() => void list.refetch()} />
            <Table.ScrollContainer minWidth={760}>
              <Table className={classes.table} aria-label="Audit log">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>When</Table.Th>
                    <Table.Th>Who</Table.Th>
                    <Table.Th>What</Table.Th>
                    <Table.Th>On</Table.Th>
                    <Table.Th>
                      <span className={classes.hidden}>Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {entries.map((entry) => {
                    const open = view.open === entry.id;
                    const who = entry.actor.name ?? entry.actor.id ?? entry.actor.kind;
                    return (
                      <Fragment key={entry.id}>
                        <Table.Tr>
                          <Table.Td>
                            <Ago at={entry.createdAt} />
                          </Table.Td>
                          <Table.Td>
                            <UnstyledButton
                              fz="sm"
                              disabled={entry.actor.id === null}
                              onClick={() => void setView({ actor: entry.actor.id })}
                              aria-label={`Only what ${who} did`}
                            >
                              {entry.actor.kind === "apiKey" ? `Key ${who}` : who}
                            </UnstyledButton>
                          </Table.Td>
                          <Table.Td className="mono">{entry.action}</Table.Td>
                          <Table.Td className="mono">{entry.target ? entry.target.id : ""}</Table.Td>
                          <Table.Td ta="end">
                            <Button
                              variant="default"
                              size="compact-xs"
                              aria-expanded={open}
                              aria-label={`${open ? "Hide" : "Show"} ${entry.action}`}
                              onClick={() => void setView({ open: open ? null : entry.id })}
                            >
                              {open ? "Hide" : "Show"}
                            </Button>
                          </Table.Td>
                        </Table.Tr>
                        {open ? (
                          <Table.Tr>
                            <Table.Td colSpan={COLUMNS}>
                              <Change entry={entry} />
                            </Table.Td>
                          </Table.Tr>
                        ) : null}
                      </Fragment>
                    );
                  })}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            <ListFoot shown={entries.length} what="change" list={list} />
          </>
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
        ) : list.isPending ? (
          <TableSkeleton rows={8} label="Loading the audit log" />
        ) : isFiltered(view) ? (
          <EmptyState
            icon={<IconFilterOff size={32} stroke={1.5} aria-hidden />}
            title="Nothing like this"
            action={<Button onClick={() => void setView(NO_FILTERS)}>Clear filters</Button>}
          >
            No change fits these filters.
          </EmptyState>
        ) : (
          <EmptyState icon={<IconHistory size={32} stroke={1.5} aria-hidden />} title="Nothing was changed yet">
            Every change in this project, by a person, a key or a job, is written here and stays.
          </EmptyState>
        )}
      </div>
    </>
  );
}
