"use client";
import { IconCalendarOff, IconChartHistogram } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useRef, useState } from "react";
import { RefreshButton } from "@/app/_components/controls/refresh-button";
import { SearchInput } from "@/app/_components/controls/search-input";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ChosenFilters, FacetsToggle } from "@/app/_components/facets/facets";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { formatDay, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type Chart, MEASURES } from "@/server/services/charts/schemas";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import series from "../../_components/series/series.module.css";
import { Facets } from "../../conversations/_components/facets";
import { chosenFilters, filterInput } from "../../conversations/_components/view";
import { ChartControls } from "./chart-controls";
import { ChartNumbers, Value } from "./chart-numbers";
import { ChartPicture } from "./chart-picture";
import classes from "./charts.module.css";
import { PinButton } from "./pin-button";
import { ShareMenu } from "./share-menu";
import {
  chartInput,
  conversationsView,
  csvHref,
  frozenHref,
  GROUP_WORDS,
  isComplete,
  isStacked,
  MEASURE_WORDS,
  OF_WORDS,
  subjectOf,
  type View,
  viewParsers,
} from "./view";

/** A measure over time, by group, of the conversations that the filters select. */
export function Charts({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  // The last days end on the day when the page was opened or refreshed.
  const [now, setNow] = useState(openedAt);
  const [showFacets, setShowFacets] = useState(false);
  const picture = useRef<HTMLElement>(null);
  const query = useQuery(
    trpc.charts.query.queryOptions(chartInput(projectId, view, now), {
      enabled: isComplete(view),
      placeholderData: (previous) => previous,
    }),
  );
  const list = conversationsView(view, now);
  const facets = useQuery(
    trpc.conversations.facets.queryOptions(filterInput(projectId, list, now), {
      placeholderData: (previous) => previous,
    }),
  );
  const findingTitle = facets.data?.facets.findings?.find(({ id }) => id === view.finding)?.title;
  const chosen = chosenFilters(list, { findingTitle });
  const chart = isComplete(view) ? query.data?.chart : undefined;
  const title = useTitle(projectId, view);
  const refresh = () => {
    setNow(Date.now());
    void Promise.all([query.refetch(), facets.refetch()]);
  };
  return (
    <>
      <PageHeader
        title="Charts"
        aside={
          <>
            <ViewsMenu projectId={projectId} list="charts" parsers={viewParsers} />
            <PinButton projectId={projectId} view={view} title={title} />
            <ShareMenu
              linkHref={frozenHref(projectId, view, now)}
              csvHref={csvHref(projectId, view, now)}
              picture={picture}
              title={title}
              subtitle={chart ? daysText(chart) : ""}
            />
            <RefreshButton busy={query.isRefetching} onRefresh={refresh} />
          </>
        }
      >
        <ChartControls projectId={projectId} view={view} setView={setView} now={now} />
        <FacetsToggle chosen={chosen.length} shown={showFacets} onToggle={() => setShowFacets(!showFacets)} />
      </PageHeader>
      <div className={`${panes.root} ${series.colours}`}>
        <Facets view={list} setView={setView} facets={facets.data?.facets} shown={showFacets} />
        <div className={panes.list}>
          <div className={classes.search}>
            <SearchInput
              label="Search messages and IDs"
              value={view.q}
              onChange={(q) => void setView({ q: q || null })}
            />
          </div>
          <ChosenFilters
            filters={chosen.map(({ id, text, without }) => ({
              id,
              text,
              onRemove: () => void setView(without as Partial<View>),
            }))}
          />
          {!isComplete(view) ? (
            <EmptyState
              icon={IconChartHistogram}
              title={`Choose a ${subjectOf(view.measure) === "signal" ? "Signal" : "Finding"}`}
            >
              Its share of the conversations that its Rule read appears here, with the 95% interval.
            </EmptyState>
          ) : chart === undefined && query.error ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
          ) : chart === undefined ? (
            <TableSkeleton rows={6} label="Reading the chart" />
          ) : (
            <section
              className={classes.picture}
              aria-label={title}
              aria-busy={query.isPlaceholderData || undefined}
              ref={picture}
            >
              <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
              <ChartBody projectId={projectId} view={view} chart={chart} title={title} now={now} />
            </section>
          )}
        </div>
      </div>
    </>
  );
}

const daysText = ({ from, to }: Chart) => `${formatDay(from)} – ${formatDay(to - 1)} (UTC)`;

/** Returns what the chart shows, in words. */
function useTitle(projectId: string, view: View): string {
  const trpc = useTRPC();
  const isOfFinding = subjectOf(view.measure) === "finding" && view.of !== null;
  const finding = useQuery(
    trpc.findings.get.queryOptions({ projectId, findingId: view.of ?? "" }, { enabled: isOfFinding }),
  );
  const of = isOfFinding ? (finding.data?.finding.title.replaceAll("`", "") ?? "…") : view.of;
  const subject = subjectOf(view.measure) !== null && of !== null ? `: ${of}` : "";
  return `${MEASURE_WORDS[view.measure]}${subject}${view.by === null ? "" : ` by ${GROUP_WORDS[view.by].one.toLowerCase()}`}`;
}

const HEIGHT = 280;

type BodyProps = { projectId: string; view: View; chart: Chart; title: string; now: number };

function ChartBody({ projectId, view, chart, title, now }: BodyProps) {
  const n = chart.total.n ?? 0;
  const { one, read } = OF_WORDS[MEASURES[chart.measure].of];
  if (n === 0 && chart.countedFrom === null)
    return (
      <EmptyState icon={IconCalendarOff} title={`No ${read} in this period`}>
        There may be some before or after it, or without these filters. Days are in UTC.
      </EmptyState>
    );
  const isCount = chart.unit === "count";
  return (
    <>
      <p className={classes.sum}>
        <span className={classes.value}>
          <Value chart={chart} point={chart.total} />
        </span>
        {isCount ? ` ${n === 1 ? one : read}` : ` of ${plural(n, one, read)}`}
      </p>
      {chart.countedFrom === null ? null : (
        <p className={classes.note} role="note">
          There is more than is read for one chart: only the newest from {formatDay(chart.countedFrom, now)} on are
          counted, exactly. Choose a shorter time to see the days before.
        </p>
      )}
      {isStacked(chart) && isInSeveral(chart) ? (
        <p className={classes.note}>
          A {one} with several values counts in each of them, so bars can exceed the total.
        </p>
      ) : null}
      <ChartPicture title={title} chart={chart} now={now} height={HEIGHT} withTable />
      {isDayOpen(chart, now) ? <p className={classes.note}>The last {chart.step} is not over yet.</p> : null}
      <ChartNumbers projectId={projectId} view={view} chart={chart} now={now} />
    </>
  );
}

const isDayOpen = ({ to }: Chart, now: number) => to > now;

/** Whether something counts in more than one series: they add up to more than the whole. */
const isInSeveral = ({ series, total }: Chart) =>
  series.reduce((sum, { total: { n } }) => sum + (n ?? 0), 0) > (total.n ?? 0);
