"use client";
import { Tabs } from "@mantine/core";
import { IconChartLine } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { WithoutThing } from "@/app/_components/feedback/without-thing";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { pageHref } from "../../../_components/shell/pages";
import { TrainerError } from "../../../_components/training/trainer-error";
import { useLastReading } from "../../../_components/training/use-last-reading";
import { isMoving } from "../../../_components/training/words";
import { CheckpointsTab } from "./checkpoints-tab";
import { RunCharts } from "./run-charts";
import { RunHeader } from "./run-header";
import { RunLog } from "./run-log";
import classes from "./run-page.module.css";
import { RunStrip } from "./run-strip";
import { Samples } from "./samples";
import { SettingsTab } from "./settings-tab";
import { useRun } from "./use-run";
import { TABS, viewParsers } from "./view";

const LIVE_MS = 5000;

/** A training run: its progress, charts, answers, checkpoints, log and settings, live. */
export function RunPage({ projectId, jobId }: { projectId: string; jobId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const query = useRun(projectId, jobId);
  const job = query.data?.job;
  const checkpoints = useQuery(
    trpc.checkpoints.list.queryOptions(
      { projectId, jobId, limit: 100 },
      { enabled: job !== undefined, refetchInterval: job && isMoving(job) ? LIVE_MS : false },
    ),
  );
  useLastReading(job !== undefined && isMoving(job), trpc.checkpoints.list.queryKey({ projectId, jobId, limit: 100 }));
  const listHref = useListHref(pageHref(projectId, "training"));
  const show = (tab: string | null) => void setView({ tab: TABS.find((known) => known === tab) ?? null });
  const showBeside = (by: 1 | -1) => show(TABS[(TABS.indexOf(view.tab) + by + TABS.length) % TABS.length] ?? null);
  useKeys({ [ESC]: () => router.push(listHref), "[": () => showBeside(-1), "]": () => showBeside(1) });
  if (!job)
    return (
      <WithoutThing
        what="Run"
        icon={IconChartLine}
        list={{ href: pageHref(projectId, "training"), label: "All runs" }}
        query={query}
      />
    );
  const known = checkpoints.data?.checkpoints ?? [];
  return (
    <>
      <RunHeader projectId={projectId} job={job} checkpoints={known} listHref={listHref} />
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      <RunStrip projectId={projectId} job={job} />
      {job.error === null ? null : <TrainerError error={job.error} />}
      <Tabs value={view.tab} onChange={show} className={classes.tabs}>
        <Tabs.List px="xs" aria-label="Parts of the run" style={{ flexWrap: "nowrap", overflowX: "auto" }}>
          <Tabs.Tab value="charts">Charts</Tabs.Tab>
          <Tabs.Tab value="samples">Samples</Tabs.Tab>
          <Tabs.Tab value="checkpoints">Checkpoints{known.length === 0 ? "" : ` (${known.length})`}</Tabs.Tab>
          <Tabs.Tab value="log">Log</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="charts" className={classes.panel}>
          <RunCharts projectId={projectId} job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="samples" className={classes.panel}>
          <Samples projectId={projectId} job={job} />
        </Tabs.Panel>
        <Tabs.Panel value="checkpoints" className={classes.panel}>
          <CheckpointsTab projectId={projectId} job={job} checkpoints={checkpoints} />
        </Tabs.Panel>
        <Tabs.Panel value="log" className={classes.panel}>
          <RunLog projectId={projectId} job={job} level={view.level} onLevel={(level) => void setView({ level })} />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className={classes.panel}>
          <SettingsTab projectId={projectId} job={job} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
