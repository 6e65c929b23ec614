"use client";
import { Button, DataList, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { Dot } from "@/app/_components/values/dot";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatBytes, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { ModelExport } from "@/server/services/model-exports/schemas";
import { useMay } from "../../_components/access/membership";
import { canCancelExport, formatWords, isUnfinishedExport } from "../../_components/serving/words";
import { checkpointHref, jobHref } from "../../_components/training/hrefs";
import { TrainerError } from "../../_components/training/trainer-error";
import { useCheckpointNames } from "../../deployments/_components/use-checkpoint-names";
import { sourceWords } from "./columns";
import { ExportState } from "./export-state";

type Props = {
  projectId: string;
  exportId: string;
  row: ModelExport | undefined;
  onCancel: (of: ModelExport) => void;
  onClose: () => void;
};
const LIVE_MS = 2000;

/** An export: its progress, what was published where, and why it failed. */
export function ExportPeek({ projectId, exportId, row, onCancel, onClose }: Props) {
  const trpc = useTRPC();
  const may = useMay("project:models:manage");
  const { data, error, refetch, isFetching } = useQuery(
    trpc.modelExports.get.queryOptions(
      { projectId, exportId },
      {
        enabled: row === undefined,
        refetchInterval: ({ state }) => (state.data && isUnfinishedExport(state.data.export) ? LIVE_MS : false),
      },
    ),
  );
  const shown = row ?? data?.export;
  return (
    <PeekPanel label="Export" title={shown?.destination.repoId ?? "Export"} onClose={onClose}>
      {shown ? (
        <Stack p="md" gap="lg">
          {(may && canCancelExport(shown)) || shown.url !== null ? (
            <Group gap="xs">
              {shown.url === null ? null : <HubLink url={shown.url} />}
              {may && canCancelExport(shown) ? (
                <Button variant="default" size="compact-sm" onClick={() => onCancel(shown)}>
                  Cancel…
                </Button>
              ) : null}
            </Group>
          ) : null}
          {shown.error === null ? null : <TrainerError error={shown.error} flush />}
          <Facts projectId={projectId} of={shown} />
          <Files of={shown} />
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the export">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}

/** The URL comes from a hub: only an HTTP(S) URL becomes a link. */
const HubLink = ({ url }: { url: string }) =>
  /^https?:\/\//.test(url) ? (
    <Button
      component="a"
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      size="compact-sm"
      rightSection={<IconExternalLink size={14} aria-hidden />}
    >
      Open on the hub
    </Button>
  ) : (
    <span className="mono">{url}</span>
  );

function Facts({ projectId, of }: { projectId: string; of: ModelExport }) {
  const checkpointName = useCheckpointNames(projectId);
  const { destination, checkpointId, hubModel, certificateId, commitOid } = of;
  return (
    <DataList size="sm" gap={6} labelWidth={130}>
      <Fact label="Status">
        <ExportState of={of} />
      </Fact>
      <Fact label="Model">
        {checkpointId === null ? (
          <span className="mono">
            {hubModel?.id}
            {hubModel?.revision == null ? "" : `@${hubModel.revision}`}
          </span>
        ) : (
          <Link href={checkpointHref(projectId, checkpointId)} dir="auto">
            {sourceWords(of, checkpointName)}
          </Link>
        )}
      </Fact>
      <Fact label="Format">{formatWords(of)}</Fact>
      <Fact label="Hub" mono>
        {destination.endpoint}
      </Fact>
      <Fact label="Repository" mono>
        {destination.repoId}
      </Fact>
      <Fact label="Visible to">{destination.private ? "Its owner and their members" : "Anyone"}</Fact>
      {commitOid === null ? null : (
        <Fact label="Commit">
          <IdText id={commitOid} what="commit" />
        </Fact>
      )}
      {certificateId === null || checkpointId === null ? null : (
        <Fact label="Comparison">
          <Link href={`${checkpointHref(projectId, checkpointId)}?certificate=${encodeURIComponent(certificateId)}`}>
            With the checkpoint
          </Link>
        </Fact>
      )}
      {of.forced ? (
        <Fact label="Forced">
          <Dot color="var(--severity-high)">Published without a passing comparison</Dot>
        </Fact>
      ) : null}
      {of.jobId === null ? null : (
        <Fact label="Planned by">
          <Link href={jobHref(projectId, of.jobId)}>Its training run</Link>
        </Fact>
      )}
      <Fact label="Requested">
        <ExactTime at={of.createdAt} />
      </Fact>
      {of.finishedAt === null ? null : (
        <Fact label="Ended">
          <ExactTime at={of.finishedAt} />
        </Fact>
      )}
      <Fact label="ID">
        <IdText id={of.id} />
      </Fact>
    </DataList>
  );
}

function Files({ of: { files } }: { of: ModelExport }) {
  if (files.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {plural(files.length, "file")}, {formatBytes(files.reduce((sum, { size }) => sum + size, 0))}
      </Text>
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: "none" }} aria-label="Files">
        {files.map(({ path, size, sha256 }) => (
          <Group key={path} component="li" justify="space-between" wrap="nowrap" gap="xs">
            <span className="mono clip" title={`SHA-256 ${sha256}`}>
              {path}
            </span>
            <Text size="xs" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
              {formatBytes(size)}
            </Text>
          </Group>
        ))}
      </Stack>
    </div>
  );
}
