"use client";
import { Button, DataList, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { Ago } from "@/app/_components/values/ago";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount, formatDuration, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { MINUTE_MS } from "@/server/platform/durations";
import type { TuningConfig } from "@/server/services/training/tuning-configs/schemas";
import { useMay } from "../../_components/access/membership";
import { useDatasets } from "../../_components/datasets/use-datasets";
import { pageHref } from "../../_components/shell/pages";
import { checkpointHref, jobHref, newTrainingHref } from "../../_components/training/hrefs";
import { settingsOf } from "../../_components/training/settings-of";
import { howWords } from "../../_components/training/words";
import { datasetHref } from "../../datasets/_components/view";
import { deployWords, Outcome, triggerWords } from "./columns";
import { Rollouts } from "./rollouts";

type Props = {
  projectId: string;
  configId: string;
  row: TuningConfig | undefined;
  onEdit: () => void;
  onDelete: (config: TuningConfig) => void;
  onClose: () => void;
};

/** A configuration, what its trigger decided and why, and what can be done with it. */
export function ConfigPeek({ projectId, configId, row, onEdit, onDelete, onClose }: Props) {
  const trpc = useTRPC();
  const mayWrite = useMay("project:data:write");
  const mayTrain = useMay("models:manage");
  const { data, error, refetch, isFetching } = useQuery(
    trpc.tuningConfigs.get.queryOptions({ projectId, configId }, { enabled: row === undefined }),
  );
  const config = row ?? data?.tuningConfig;
  return (
    <PeekPanel label="Tuning configuration" title={config?.name ?? "Tuning configuration"} onClose={onClose}>
      {config ? (
        <Stack p="md" gap="lg">
          <Group gap="xs">
            {mayTrain ? (
              <Button component={Link} size="compact-sm" href={newTrainingHref(projectId, { config: config.id })}>
                Run now…
              </Button>
            ) : null}
            {mayWrite ? (
              <>
                <Button variant="default" size="compact-sm" onClick={onEdit}>
                  Edit…
                </Button>
                <Button variant="default" size="compact-sm" onClick={() => onDelete(config)}>
                  Delete…
                </Button>
              </>
            ) : null}
          </Group>
          <Facts projectId={projectId} config={config} />
          <Decisions projectId={projectId} configId={configId} />
          <Rollouts projectId={projectId} config={config} />
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the configuration">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}

function Facts({ projectId, config }: { projectId: string; config: TuningConfig }) {
  const datasets = useDatasets(projectId);
  const { trigger, baseModel } = config;
  const changed = settingsOf({ training: config.training, lora: config.lora, evaluation: config.evaluation });
  return (
    <DataList size="sm" gap={6} labelWidth={130}>
      <Fact label="Dataset">
        <Link href={datasetHref(projectId, config.datasetId)} dir="auto">
          {datasets.data?.find(({ id }) => id === config.datasetId)?.name ?? "Dataset"}
        </Link>
      </Fact>
      <Fact label="Model">
        {"checkpointId" in baseModel ? (
          <Link href={checkpointHref(projectId, baseModel.checkpointId)}>A checkpoint</Link>
        ) : (
          <span className="mono">{baseModel.id}</span>
        )}
      </Fact>
      <Fact label="Method">{howWords(config)}</Fact>
      <Fact label="Settings">
        {changed.length === 0 ? "The defaults" : changed.map(([name, value]) => `${name} ${value}`).join(", ")}
      </Fact>
      <Fact label="Trigger">{triggerWords(trigger)}</Fact>
      {trigger.enabled ? (
        <>
          <Fact label="New Examples">{formatCount(config.newExamples)} since its last run</Fact>
          <Fact label="Cooldown">{formatDuration(trigger.cooldownMinutes * MINUTE_MS)} after each start</Fact>
          <Fact label="Daily cap">{plural(trigger.dailyCap, "run")} a day</Fact>
          <Fact label="Next check">
            {config.nextCheckAt === null ? "Not scheduled" : <ExactTime at={config.nextCheckAt} />}
          </Fact>
        </>
      ) : null}
      <Fact label="Deploys">{deployWords(config.deployment)}</Fact>
      <Fact label="Runs">
        {config.lastJobId === null ? (
          "None yet"
        ) : (
          <>
            <Link href={jobHref(projectId, config.lastJobId)}>The last</Link> ·{" "}
            <Link href={`${pageHref(projectId, "training")}?config=${encodeURIComponent(config.id)}`}>All</Link>
          </>
        )}
      </Fact>
      <Fact label="ID">
        <IdText id={config.id} />
      </Fact>
    </DataList>
  );
}

/** What the trigger decided, newest first; identical consecutive decisions are shown as one. */
function Decisions({ projectId, configId }: { projectId: string; configId: string }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery(
    trpc.tuningConfigs.decisions.infiniteQueryOptions({ projectId, configId, limit: 20 }, nextCursorPage),
  );
  const decisions = query.data?.pages.flatMap((page) => page.decisions) ?? [];
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        Decisions
      </Text>
      {query.error && decisions.length === 0 ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      ) : query.isPending ? (
        <Skeleton height={60} />
      ) : decisions.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet: the trigger has not been evaluated.
        </Text>
      ) : (
        <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: "none" }} aria-label="Decisions">
          {decisions.map(({ id, outcome, message, times, lastAt, jobId }) => (
            <li key={id}>
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Outcome outcome={outcome} />
                <Text size="xs" c="dimmed">
                  {times > 1 ? `${formatCount(times)} times, last ` : ""}
                  <Ago at={lastAt} />
                </Text>
              </Group>
              <Text size="sm">
                {message} {jobId === null ? null : <Link href={jobHref(projectId, jobId)}>Open the run</Link>}
              </Text>
            </li>
          ))}
        </Stack>
      )}
      {query.hasNextPage ? (
        <Button
          mt="sm"
          variant="default"
          size="compact-sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show earlier
        </Button>
      ) : null}
    </div>
  );
}
