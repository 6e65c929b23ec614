"use client";
import { Button, Skeleton, Stack, Tabs } from "@mantine/core";
import { IconBooksOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useRememberList } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { pageHref } from "../../../_components/shell/pages";
import { datasetHref } from "../../_components/view";
import { DatasetHeader } from "./dataset-header";
import classes from "./dataset-page.module.css";
import { ExamplesTab } from "./examples/examples-tab";
import { ImportExport } from "./import-export/import-export";
import { OverviewTab } from "./overview/overview-tab";
import { SettingsTab } from "./settings/settings-tab";
import { VersionsTab } from "./versions/versions-tab";
import { serializeView, TABS, viewParsers } from "./view";

const OTHER_TAB = { sort: null, hide: null, peek: null, from: null, to: null };

/** A Dataset: its Examples, an overview of them, its versions and its settings. */
export function DatasetPage({ projectId, datasetId }: { projectId: string; datasetId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  useRememberList(datasetHref(projectId, datasetId), serializeView({ ...view, peek: null }));
  const query = useQuery(trpc.datasets.get.queryOptions({ projectId, datasetId }, { refetchInterval: 15_000 }));
  const show = (tab: string | null) => void setView({ ...OTHER_TAB, tab: TABS.find((known) => known === tab) ?? null });
  const showBeside = (by: 1 | -1) => show(TABS[(TABS.indexOf(view.tab) + by + TABS.length) % TABS.length] ?? null);
  useKeys({
    [ESC]: () => router.push(pageHref(projectId, "datasets")),
    "[": () => showBeside(-1),
    "]": () => showBeside(1),
  });
  const dataset = query.data?.dataset;
  if (problemOf(query.error).status === 404) return <Gone projectId={projectId} />;
  if (!dataset) {
    return query.error ? (
      <>
        <PageHeader title="Dataset" />
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      </>
    ) : (
      <Stack p="md" gap="lg" role="status" aria-label="Loading the Dataset">
        {[40, 90, 70, 80, 60].map((width) => (
          <Skeleton key={width} height={14} width={`${width}%`} />
        ))}
      </Stack>
    );
  }
  const tab = { projectId, dataset, view, setView };
  return (
    <>
      <DatasetHeader projectId={projectId} dataset={dataset} />
      <ImportExport projectId={projectId} datasetId={datasetId} />
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      <Tabs value={view.tab} onChange={show} className={classes.tabs}>
        <Tabs.List px="xs" aria-label="Parts of the Dataset">
          <Tabs.Tab value="examples">Examples</Tabs.Tab>
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="examples" className={classes.panel}>
          <ExamplesTab {...tab} />
        </Tabs.Panel>
        <Tabs.Panel value="overview" className={classes.panel}>
          <OverviewTab projectId={projectId} dataset={dataset} />
        </Tabs.Panel>
        <Tabs.Panel value="versions" className={classes.panel}>
          <VersionsTab {...tab} />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className={classes.panel}>
          <SettingsTab projectId={projectId} dataset={dataset} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const Gone = ({ projectId }: { projectId: string }) => (
  <>
    <PageHeader title="Dataset" />
    <EmptyState
      icon={IconBooksOff}
      title="Dataset not found"
      action={
        <Button component={Link} href={pageHref(projectId, "datasets")}>
          All Datasets
        </Button>
      }
    >
      Dataset was not found. It may have been deleted.
    </EmptyState>
  </>
);
