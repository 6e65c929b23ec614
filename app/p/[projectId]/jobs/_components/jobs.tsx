"use client";
import { Button, NativeSelect } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCircleCheck, IconFilterOff, IconStack2 } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ListFrame } from "@/app/_components/layout/list-frame";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import panes from "@/app/_components/layout/panes.module.css";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import type { BackgroundJob, BackgroundJobSummary } from "@/server/services/background-jobs/schemas";
import { useMay } from "../../_components/access/membership";
import { pageHref } from "../../_components/shell/pages";
import { JobPeek } from "./job-peek";
import { columnsOf, JobRow } from "./job-row";
import classes from "./jobs.module.css";
import { Notes } from "./notes";
import { ReplayAll } from "./replay-all";
import { StateFilter } from "./state-filter";
import { useJobActions } from "./use-job-actions";
import { countOf, countWords, isFiltered, listInput, NO_FILTERS, peekHref, type View, viewParsers } from "./view";
import { functionWords } from "./words";

const BUSY_MS = 2500;
const QUIET_MS = 6000;

const isBusy = ({ state }: BackgroundJob) => state === "queued" || state === "running" || state === "retrying";

export function Jobs({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const [asking, ask] = useDisclosure(false);
  const may = useMay("project:admin");
  const actions = useJobActions(projectId);
  const list = useInfiniteQuery(
    trpc.backgroundJobs.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: (query) => {
        const pages = query.state.data?.pages ?? [];
        // Whoever reads on in a long list keeps the rows where they are.
        if (pages.length > 1) return false;
        return pages.some((page) => page.backgroundJobs.some(isBusy)) ? BUSY_MS : QUIET_MS;
      },
    }),
  );
  const jobs = list.data?.pages.flatMap((page) => page.backgroundJobs) ?? [];
  const { data } = useQuery(
    trpc.backgroundJobs.summary.queryOptions(
      { projectId },
      { refetchInterval: jobs.some(isBusy) ? BUSY_MS : QUIET_MS },
    ),
  );
  const summary = data?.summary;
  const functions = (summary?.functions ?? []).map((one) => ({ id: one.id, name: functionWords(one) }));
  const only = functions.find(({ id }) => id === view.function) ?? null;
  useKeys({ [ESC]: () => view.peek && void setView({ peek: null }), u: actions.takeBack });
  const beside = view.peek !== null;
  return (
    <>
      <PageHeader title="Jobs">
        <NativeSelect
          aria-label="Function"
          maw={{ base: 210, sm: 320 }}
          value={view.function ?? ""}
          onChange={(event) => void setView({ function: event.currentTarget.value || null })}
          data={[
            { value: "", label: "Any function" },
            ...functions.map(({ id, name }) => ({ value: id, label: name })),
            ...(view.function && !only ? [view.function] : []),
          ]}
        />
      </PageHeader>
      <div className={classes.above} data-beside={beside || undefined}>
        <StateFilter value={view.state} onChange={(state) => void setView({ state })} summary={summary} />
        {summary ? (
          <Notes
            summary={summary}
            may={may}
            onShow={view.state === "failed" ? undefined : () => void setView({ ...NO_FILTERS, state: "failed" })}
            onReplay={ask.open}
          />
        ) : null}
      </div>
      <div className={panes.root}>
        <div className={panes.list}>
          <PageBody>
            <ListFrame
              label="Jobs"
              what="job"
              columns={columnsOf(beside)}
              minWidth={320}
              list={list}
              busy={list.isPlaceholderData}
              count={jobs.length}
              empty={
                <Nothing view={view} summary={summary} onClear={() => void setView(NO_FILTERS)} {...{ projectId }} />
              }
            >
              {jobs.map((job, index) => (
                <JobRow
                  key={job.id}
                  index={index}
                  job={job}
                  href={peekHref(view, job.id)}
                  active={job.id === view.peek}
                  beside={beside}
                  onOpen={() => void setView({ peek: job.id === view.peek ? null : job.id })}
                  onReplay={may ? () => actions.replay(job) : undefined}
                  replaying={actions.busyWith === job.id}
                />
              ))}
            </ListFrame>
          </PageBody>
        </div>
        {view.peek === null ? null : (
          <JobPeek
            key={view.peek}
            projectId={projectId}
            jobId={view.peek}
            actions={actions}
            onClose={() => void setView({ peek: null })}
          />
        )}
      </div>
      {summary ? (
        <ReplayAll
          projectId={projectId}
          opened={asking}
          onClose={ask.close}
          only={only}
          failed={countWords(countOf(summary, "failed"))}
        />
      ) : null}
    </>
  );
}

type NothingProps = {
  projectId: string;
  view: View;
  summary: BackgroundJobSummary | undefined;
  onClear: () => void;
};

function Nothing({ projectId, view, summary, onClear }: NothingProps) {
  const all = (
    <Button variant="default" onClick={onClear}>
      Show all jobs
    </Button>
  );
  if (view.state === "failed") {
    return (
      <EmptyState
        icon={<IconCircleCheck size={32} stroke={1.5} aria-hidden />}
        title="No job has failed for good"
        action={all}
      >
        One whose retries are used up stays here for 30 days, to be replayed.
      </EmptyState>
    );
  }
  if (isFiltered(view)) {
    return (
      <EmptyState icon={<IconFilterOff size={32} stroke={1.5} aria-hidden />} title="No job like this" action={all}>
        There may be others outside these filters.
      </EmptyState>
    );
  }
  if (summary?.engine === "inngest") {
    return (
      <EmptyState icon={<IconStack2 size={32} stroke={1.5} aria-hidden />} title="No jobs are kept here">
        They run on the Inngest server, and its dashboard has all of them.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconStack2 size={32} stroke={1.5} aria-hidden />}
      title="No jobs yet"
      action={
        <Button component={Link} href={pageHref(projectId, "send-a-trace")}>
          Send your first trace
        </Button>
      }
    >
      Diagnosis, deletions and housekeeping run as jobs, by themselves. Done ones are listed for 3 days, failed and
      cancelled ones for 30.
    </EmptyState>
  );
}
