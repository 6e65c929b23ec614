"use client";
import { Button, SegmentedControl } from "@mantine/core";
import { IconBell, IconCalendarOff, IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { CsvButton } from "@/app/_components/controls/csv-button";
import { RefreshButton } from "@/app/_components/controls/refresh-button";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { DayRangePicker } from "@/app/p/[projectId]/costs/_components/day-range-picker";
import { COST_GROUPS, type CostGroup } from "@/server/services/costs/schemas";
import { useMay } from "../../_components/access/membership";
import series from "../../_components/series/series.module.css";
import { newAlertHref } from "../../alerts/_components/view";
import { suggestedBudget, useBudgets } from "./budgets";
import { CostChart } from "./cost-chart";
import { CostTable } from "./cost-table";
import { CostTiles } from "./cost-tiles";
import classes from "./costs.module.css";
import { CostsSkeleton } from "./costs-skeleton";
import { costsInput, costsInputBefore, csvHref, GROUP_WORDS, viewParsers } from "./view";

const CHOICES = COST_GROUPS.map((value) => ({ value, label: GROUP_WORDS[value].choice }));

/** The cost of model calls, by day and group. */
export function Costs({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  // "Last 7 days" end on the day when the page was opened or refreshed.
  const [now, setNow] = useState(openedAt);
  const query = useQuery(
    trpc.costs.get.queryOptions(costsInput(projectId, view, now), { placeholderData: (previous) => previous }),
  );
  const costs = query.data?.costs;
  const before = useQuery(trpc.costs.get.queryOptions(costsInputBefore(projectId, view, now))).data?.costs;
  const budgets = useBudgets(projectId);
  const mayAlert = useMay("diagnostics:write");
  const refresh = () => {
    setNow(Date.now());
    void query.refetch();
  };
  return (
    <>
      <PageHeader
        title="Costs"
        aside={
          <>
            {mayAlert ? (
              <Button
                component={Link}
                variant="default"
                leftSection={<IconBell size={14} aria-hidden />}
                href={newAlertHref(
                  projectId,
                  view.by === "user"
                    ? { measure: "daily_user_cost" }
                    : { measure: "daily_cost", limit: costs && suggestedBudget(costs) },
                )}
              >
                Alert me
              </Button>
            ) : null}
            <CsvButton href={csvHref(projectId, view, now)} />
            <RefreshButton busy={query.isRefetching} onRefresh={refresh} />
          </>
        }
      >
        <DayRangePicker what="Days (UTC)" value={view} now={now} onChange={(range) => void setView(range)} />
        <SegmentedControl<CostGroup>
          aria-label="Group by"
          data={CHOICES}
          value={view.by}
          onChange={(by) => void setView({ by })}
        />
      </PageHeader>
      <PageBody>
        {costs && costs.total.calls > 0 ? (
          <>
            <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
            <div className={`${classes.all} ${series.colours}`} aria-busy={query.isPlaceholderData || undefined}>
              <CostTiles projectId={projectId} costs={costs} before={before} />
              <CostChart projectId={projectId} costs={costs} now={now} list={query} budgets={budgets} />
              <CostTable projectId={projectId} costs={costs} before={before} list={query} />
            </div>
          </>
        ) : query.error ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
        ) : costs ? (
          <NoCosts
            projectId={projectId}
            onWiden={view.range === "365d" ? null : () => void setView({ range: "365d", from: null, to: null })}
          />
        ) : (
          <CostsSkeleton />
        )}
      </PageBody>
    </>
  );
}

/** No costs in these days; whether there were ever any decides which action is offered. */
function NoCosts({ projectId, onWiden }: { projectId: string; onWiden: (() => void) | null }) {
  const trpc = useTRPC();
  const any = useQuery(trpc.conversations.list.queryOptions({ projectId, limit: 1 }));
  if (any.isPending) return <CostsSkeleton />;
  if (any.data?.conversations.length === 0) {
    return (
      <EmptyState
        icon={IconChartBar}
        title="No costs yet"
        action={
          <Button component={Link} href={`/p/${projectId}/send-a-trace`}>
            Send your first trace
          </Button>
        }
      >
        The cost of your application's model calls appears here by day and model, seconds after it sends OpenTelemetry
        traces.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconCalendarOff}
      title="No model calls in this period"
      action={
        onWiden ? (
          <Button variant="default" onClick={onWiden}>
            Show the last 365 days
          </Button>
        ) : undefined
      }
    >
      There may be some before or after it. Days are in UTC.
    </EmptyState>
  );
}
