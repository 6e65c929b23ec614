"use client";
import { useQuery } from "@tanstack/react-query";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";
import { known } from "../../../_components/known";
import { datasetHref } from "../../../_components/view";
import { OBJECTIVE_VALUES, OBJECTIVES, SOURCE_VALUES, SOURCES, SPLIT_VALUES, SPLITS } from "../../../_components/words";
import { serializeView, type View } from "../view";
import { Checks } from "./checks";
import { Counts } from "./counts";
import classes from "./overview.module.css";
import { TokenHistogram } from "./token-histogram";

/** An overview of a Dataset's Examples: counts, lengths, and problems. */
export function OverviewTab({ projectId, dataset }: { projectId: string; dataset: Dataset }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.examples.facets.queryOptions({ projectId, datasetId: dataset.id }),
  );
  if (!data) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <TableSkeleton rowHeight={40} rows={8} label="Loading: Overview" />
    );
  }
  const { splits, sources, objectives, tags, tokens } = data.facets;
  const total = dataset.exampleCount;
  const to = (filter: Partial<View>) => `${datasetHref(projectId, dataset.id)}${serializeView(filter)}`;
  return (
    <PageBody>
      <PageSection title="Examples">
        <div className={classes.groups}>
          <Counts
            title="By split"
            total={total}
            values={known(splits, SPLIT_VALUES).map(({ value, count }) => ({
              label: SPLITS[value],
              count,
              href: to({ split: [value] }),
            }))}
          />
          <Counts
            title="By source"
            total={total}
            values={known(sources, SOURCE_VALUES).map(({ value, count }) => ({
              label: SOURCES[value],
              count,
              href: to({ source: [value] }),
            }))}
          />
          <Counts
            title="By objective"
            total={total}
            values={known(objectives, OBJECTIVE_VALUES).map(({ value, count }) => ({
              label: OBJECTIVES[value].name,
              count,
              href: to({ objective: [value] }),
            }))}
          />
          <Counts
            title="By tag"
            total={total}
            values={tags.map(({ value, count }) => ({ label: value, count, href: to({ tag: [value] }) }))}
          />
        </div>
      </PageSection>
      <PageSection title="Leakage and duplicates">
        <Checks projectId={projectId} datasetId={dataset.id} />
      </PageSection>
      <PageSection title="Tokens">
        <div className={classes.chart}>
          <TokenHistogram ranges={tokens} />
        </div>
      </PageSection>
    </PageBody>
  );
}
