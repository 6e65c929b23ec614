"use client";
import { SegmentedControl, Select } from "@mantine/core";
import { IconVersions } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { RefreshButton } from "@/app/_components/controls/refresh-button";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { VERSION_DIMENSIONS, type VersionDimension } from "@/server/services/diagnostics/versions/schemas";
import { ComparisonTable } from "./comparison-table";
import { type Chosen, chosenOf, compareInput, DIMENSION_WORDS, listInput, type View, viewParsers } from "./view";

const CHOICES = VERSION_DIMENSIONS.map((value) => ({ value, label: DIMENSION_WORDS[value].one }));

/** Two versions, models, labels, prompts or arms side by side. */
export function Versions({ projectId, openedAt }: { projectId: string; openedAt: number }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  // "Last 7 days" end when the page was opened or refreshed.
  const [now, setNow] = useState(openedAt);
  const list = useQuery(trpc.versions.list.queryOptions(listInput(projectId, view, now)));
  const versions = list.data?.versions ?? [];
  const chosen = chosenOf(view, versions);
  const values = [...new Set([...versions.map(({ value }) => value), ...(chosen ? Object.values(chosen) : [])])];
  const countOf = (value: string) => versions.find((one) => one.value === value)?.conversations;
  const picker = (label: string, name: keyof Chosen) => (
    <Select
      aria-label={label}
      placeholder={label}
      size="xs"
      w={220}
      searchable
      allowDeselect={false}
      data={values}
      value={chosen?.[name] ?? view[name]}
      renderOption={({ option }) => `${option.value} · ${plural(countOf(option.value) ?? 0, "conversation")}`}
      onChange={(value) => void setView({ ...chosen, [name]: value })}
    />
  );
  return (
    <>
      <PageHeader
        title="Versions"
        aside={
          <RefreshButton
            busy={list.isRefetching}
            onRefresh={() => {
              setNow(Date.now());
              void list.refetch();
            }}
          />
        }
      >
        <SegmentedControl<VersionDimension>
          aria-label="Compare by"
          data={CHOICES}
          value={view.by}
          onChange={(by) => void setView({ by, baseline: null, compared: null })}
        />
        {picker("Baseline", "baseline")}
        {picker("Compared with it", "compared")}
        <TimeRangePicker what="Started" value={view} onChange={(range) => void setView(range)} />
      </PageHeader>
      <PageBody>
        {list.error && !list.data ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
        ) : chosen ? (
          <Compared projectId={projectId} view={view} chosen={chosen} now={now} />
        ) : list.data ? (
          <NothingToCompare by={view.by} count={versions.length} />
        ) : (
          <TableSkeleton rows={6} label="Loading versions" />
        )}
      </PageBody>
    </>
  );
}

type Props = { projectId: string; view: View; chosen: Chosen; now: number };

function Compared({ projectId, view, chosen, now }: Props) {
  const trpc = useTRPC();
  const query = useQuery(trpc.versions.compare.queryOptions(compareInput(projectId, view, chosen, now)));
  if (query.data) return <ComparisonTable projectId={projectId} view={view} comparison={query.data.comparison} />;
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  return <TableSkeleton rows={6} label="Comparing" />;
}

const NothingToCompare = ({ by, count }: { by: VersionDimension; count: number }) => {
  const { one, many } = DIMENSION_WORDS[by];
  return (
    <EmptyState
      icon={IconVersions}
      title={count === 0 ? `No ${many.toLowerCase()} in this period` : `Only one ${one.toLowerCase()} in this period`}
    >
      {HINTS[by]}
    </EmptyState>
  );
};

/** Where the values of a dimension come from. */
const HINTS: Record<VersionDimension, React.ReactNode> = {
  version: (
    <>
      Send <code>service.version</code> as a resource attribute with your telemetry, and change it with every release:
      two versions then stand side by side here.
    </>
  ),
  model: "As soon as conversations of two models have arrived, they stand side by side here.",
  label: "Label conversations, here or with the tags of your telemetry: two labels then stand side by side here.",
  prompt:
    "Name the prompt of a call in your telemetry, as clients of managed prompts do: two prompts then stand side by side here.",
  arm: "Try a variant on a share of an alias’s conversations, on the page Gateway: both arms then stand side by side here.",
};
