"use client";
import { Anchor, Button, DataList, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { JsonView } from "@/app/_components/values/json-view";
import { formatBytes, formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/fine-tuning/checkpoints/schemas";
import { useMay } from "../../_components/access/membership";
import { StartEvaluation } from "../../_components/evaluations/start-evaluation";
import { formatMetric } from "../../_components/training/charts/metric-words";
import { CheckpointMarks } from "../../_components/training/checkpoint-marks";
import { checkpointFileHref, checkpointHref, jobHref, newTrainingHref } from "../../_components/training/hrefs";
import { KINDS } from "./columns";

type Props = { projectId: string; checkpointId: string; row: Checkpoint | undefined; onClose: () => void };

/** A checkpoint's facts, its files, and how it is to be served. */
export function CheckpointPeek({ projectId, checkpointId, row, onClose }: Props) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const { data, error, refetch, isFetching } = useQuery(
    trpc.checkpoints.get.queryOptions({ projectId, checkpointId }, { enabled: row === undefined }),
  );
  const checkpoint = row ?? data?.checkpoint;
  const [comparing, setComparing] = useState(false);
  return (
    <PeekPanel
      label="Checkpoint"
      title={checkpoint ? `Step ${formatCount(checkpoint.stepNumber)}` : "Checkpoint"}
      onClose={onClose}
    >
      {checkpoint ? (
        <Stack p="md" gap="lg">
          {may && checkpoint.state === "stored" ? (
            <Group>
              <Button variant="default" size="compact-sm" onClick={() => setComparing(true)}>
                Compare before and after…
              </Button>
              <Button
                component={Link}
                variant="default"
                size="compact-sm"
                href={newTrainingHref(projectId, { checkpoint: checkpoint.id })}
              >
                Continue training…
              </Button>
            </Group>
          ) : null}
          <StartEvaluation
            projectId={projectId}
            subject={comparing ? { checkpointId: checkpoint.id } : null}
            onClose={() => setComparing(false)}
          />
          <Facts projectId={projectId} checkpoint={checkpoint} />
          <Files projectId={projectId} checkpoint={checkpoint} />
          <div>
            <Text size="sm" fw={600} mb={4}>
              Inference profile
            </Text>
            {checkpoint.inferenceProfile === null ? (
              <Text size="sm" c="dimmed">
                None yet: it has not passed the generation test.
              </Text>
            ) : (
              <JsonView value={checkpoint.inferenceProfile} label="inference profile" />
            )}
          </div>
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the checkpoint">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}

const Facts = ({ projectId, checkpoint }: { projectId: string; checkpoint: Checkpoint }) => (
  <DataList size="sm" gap={6} labelWidth={130}>
    <Fact label="State">
      <CheckpointMarks checkpoint={checkpoint} />
    </Fact>
    <Fact label="Run">
      <Link href={jobHref(projectId, checkpoint.jobId)} dir="auto">
        {checkpoint.jobName}
      </Link>
    </Fact>
    <Fact label="Base model" mono>
      {checkpoint.baseModel.id}
    </Fact>
    <Fact label="Revision" mono>
      {checkpoint.baseModel.revision ?? "—"}
    </Fact>
    {checkpoint.parentCheckpointId === null ? null : (
      <Fact label="Continued from">
        <Link href={checkpointHref(projectId, checkpoint.parentCheckpointId)}>Another checkpoint</Link>
      </Fact>
    )}
    <Fact label="Kind">{KINDS[checkpoint.kind]}</Fact>
    {checkpoint.epoch === null ? null : <Fact label="Epoch">{checkpoint.epoch.toFixed(2)}</Fact>}
    {Object.entries(checkpoint.metrics).map(([name, value]) => (
      <Fact key={name} label={name.replaceAll("_", " ")}>
        {formatMetric(value)}
      </Fact>
    ))}
    <Fact label="Resumable">{checkpoint.resumable && checkpoint.state === "stored" ? "Yes" : "No"}</Fact>
    <Fact label="Attempt">{formatCount(checkpoint.attempt)}</Fact>
    <Fact label="Saved">
      <ExactTime at={checkpoint.createdAt} />
    </Fact>
    {checkpoint.taintedAt === null ? null : (
      <Fact label="Data deleted">
        <ExactTime at={checkpoint.taintedAt} />
      </Fact>
    )}
    <Fact label="Content" mono>
      {checkpoint.contentSha256}
    </Fact>
    <Fact label="Id">
      <IdText id={checkpoint.id} />
    </Fact>
  </DataList>
);

function Files({ projectId, checkpoint }: { projectId: string; checkpoint: Checkpoint }) {
  const { id, files, bytes, state } = checkpoint;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {plural(files.length, "file")}, {formatBytes(bytes)}
      </Text>
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
        {files.map(({ path, size, sha256 }) => (
          <Group key={path} component="li" justify="space-between" wrap="nowrap" gap="xs">
            {state === "stored" ? (
              <Anchor
                href={checkpointFileHref(projectId, id, path)}
                size="sm"
                className="mono clip"
                title={`SHA-256 ${sha256}`}
                download
              >
                {path}
              </Anchor>
            ) : (
              <span className="mono clip">{path}</span>
            )}
            <Text size="xs" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
              {formatBytes(size)}
            </Text>
          </Group>
        ))}
      </Stack>
    </div>
  );
}
