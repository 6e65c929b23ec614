"use client";
import { Skeleton, Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconGitCompare } from "@tabler/icons-react";
import { useQueries } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { formatCount, UNKNOWN } from "@/app/_lib/format";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { pageHref } from "../../../_components/shell/pages";
import classes from "../../../_components/training/charts/charts.module.css";
import { lineColor, pointsOf } from "../../../_components/training/charts/lines";
import { MetricChart } from "../../../_components/training/charts/metric-chart";
import { formatMetric } from "../../../_components/training/charts/metric-words";
import { chartsOf, seriesWords } from "../../../_components/training/charts/series";
import { jobHref } from "../../../_components/training/hrefs";
import { JobStatus } from "../../../_components/training/job-status";
import { differencesOf } from "../../../_components/training/settings-of";
import { useLastReading } from "../../../_components/training/use-last-reading";
import { isMoving } from "../../../_components/training/words";
import { Took } from "../../_components/took";

const LIVE_MS = 4000;
const POINTS = 300;

/** Up to four runs: the settings in which they differ, and one chart per metric for all of them. */
export function Compare({ projectId, jobIds }: { projectId: string; jobIds: readonly string[] }) {
  const trpc = useTRPC();
  const router = useRouter();
  const back = useListHref(pageHref(projectId, "training"));
  useKeys({ [ESC]: () => router.push(back) });
  const queries = useQueries({
    queries: jobIds.map((jobId) =>
      trpc.trainingJobs.get.queryOptions(
        { projectId, jobId },
        { refetchInterval: ({ state }) => (state.data && isMoving(state.data.job) ? LIVE_MS : false) },
      ),
    ),
  });
  const jobs = queries.flatMap(({ data }) => (data ? [data.job] : []));
  const metrics = useQueries({
    queries: jobs.map((job) =>
      trpc.trainingJobs.metrics.queryOptions(
        { projectId, jobId: job.id, points: POINTS },
        { refetchInterval: isMoving(job) ? LIVE_MS : false },
      ),
    ),
  });
  const moving = jobs.filter(isMoving).map(({ id }) => id);
  useLastReading(moving.join(), trpc.trainingJobs.metrics.pathKey());
  const failed = queries.find(({ error }) => error);
  const header = (
    <PageHeader
      title={
        <span style={{ display: "flex", gap: 4, alignItems: "center" }}>
          <BackLink href={back} label="All runs" />
          Compare runs
        </span>
      }
    />
  );
  if (jobIds.length < 2) {
    return (
      <>
        {header}
        <EmptyState icon={IconGitCompare} title="Nothing to compare">
          Select two to four runs in the list, then choose Compare.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      {header}
      <PageBody>
        {failed ? <ErrorState error={failed.error} onRetry={() => void failed.refetch()} /> : null}
        {jobs.length === 0 ? (
          failed ? null : (
            <Stack p="md" role="status" aria-label="Loading the runs">
              {[80, 60, 70].map((width) => (
                <Skeleton key={width} height={14} width={`${width}%`} />
              ))}
            </Stack>
          )
        ) : (
          <>
            <PageSection title="Runs and settings that differ" flush>
              <Differences projectId={projectId} jobs={jobs} />
            </PageSection>
            <PageSection title="Charts" flush>
              <Charts jobs={jobs} metrics={metrics.map(({ data }) => data?.metrics ?? [])} />
            </PageSection>
          </>
        )}
      </PageBody>
    </>
  );
}

function Differences({ projectId, jobs }: { projectId: string; jobs: readonly TrainingJob[] }) {
  const facts: [string, (job: TrainingJob) => React.ReactNode][] = [
    ["Status", (job) => <JobStatus job={job} />],
    ["Loss", ({ lastMetrics }) => formatMetric(lastMetrics.train_loss)],
    ["Evaluation loss", ({ lastMetrics }) => formatMetric(lastMetrics.eval_loss)],
    ["Duration", (job) => <Took job={job} />],
    ["Examples", ({ manifest }) => formatCount(manifest.rows)],
    ["Dataset version", ({ datasetVersion }) => formatCount(datasetVersion)],
  ];
  const differences = differencesOf(jobs.map(({ spec, resolvedSpec }) => resolvedSpec ?? spec));
  return (
    <TableScroll minWidth={200 + jobs.length * 170} label="Runs">
      <Table aria-label="Runs" layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th pl="md">
              <VisuallyHidden>Setting</VisuallyHidden>
            </Table.Th>
            {jobs.map(({ id, name }, index) => (
              <Table.Th key={id} style={{ overflowWrap: "anywhere" }}>
                <span
                  className={`${classes.all} ${classes.swatch}`}
                  aria-hidden
                  style={{ display: "block", padding: 0, marginBlockEnd: 4, background: lineColor(index) }}
                />
                <Link href={jobHref(projectId, id)} dir="auto">
                  {name}
                </Link>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {facts.map(([label, of]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={400} c="dimmed" pl="md">
                {label}
              </Table.Th>
              {jobs.map((job) => (
                <Table.Td key={job.id} className="tabular">
                  {of(job)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          {differences.map(([name, values]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} c="dimmed" pl="md" className="mono" style={{ overflowWrap: "anywhere" }}>
                {name}
              </Table.Th>
              {jobs.map(({ id }, index) => (
                <Table.Td key={id} className="mono" style={{ overflowWrap: "anywhere" }}>
                  {values[index] ?? UNKNOWN}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {differences.length === 0 ? (
        <Text size="sm" c="dimmed" px="md" pt="xs">
          Their settings are identical.
        </Text>
      ) : null}
    </TableScroll>
  );
}

type Series = Parameters<typeof pointsOf>[0];

/** One chart per series, with one line per run; a run has the same colour in all charts. */
function Charts({ jobs, metrics }: { jobs: readonly TrainingJob[]; metrics: readonly (readonly Series[])[] }) {
  const charts = chartsOf([...new Set(metrics.flatMap((each) => each.map(({ series }) => series)))]);
  if (charts.length === 0) {
    return (
      <Text size="sm" c="dimmed" px="md">
        None of them has trained a step yet.
      </Text>
    );
  }
  return (
    <div className={classes.all}>
      {charts.flatMap(({ id, title, unit, series }) =>
        series.map((name) => (
          <MetricChart
            key={`${id} ${name}`}
            title={series.length === 1 ? title : `${title}: ${seriesWords(name).toLowerCase()}`}
            unit={unit}
            lines={jobs.flatMap((job, index) => {
              const found = metrics[index]?.find((one) => one.series === name);
              return found ? [{ key: job.id, label: job.name, color: lineColor(index), points: pointsOf(found) }] : [];
            })}
          />
        )),
      )}
    </div>
  );
}
