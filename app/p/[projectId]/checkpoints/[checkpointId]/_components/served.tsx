"use client";
import { DataList } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { Fact } from "@/app/_components/values/fact";
import { useTRPC } from "@/app/_lib/trpc/client";
import { DeploymentState, ExportStatus } from "../../../_components/serving/status";
import { formatWords, isChanging, isUnfinishedExport } from "../../../_components/serving/words";
import { deploymentHref, exportHref } from "../../../_components/training/hrefs";

const LIVE_MS = 2000;
const IDLE_MS = 15_000;
const SHOWN = 10;

/** Where a checkpoint is served and published; renders nothing if it is neither. */
export function Served({ projectId, checkpointId }: { projectId: string; checkpointId: string }) {
  const trpc = useTRPC();
  const deployments = useQuery(
    trpc.deployments.list.queryOptions(
      { projectId, checkpointId, purpose: "service", limit: SHOWN },
      { refetchInterval: ({ state }) => (state.data?.deployments.some(isChanging) ? LIVE_MS : IDLE_MS) },
    ),
  ).data?.deployments;
  const exports = useQuery(
    trpc.modelExports.list.queryOptions(
      { projectId, checkpointId, limit: SHOWN },
      { refetchInterval: ({ state }) => (state.data?.exports.some(isUnfinishedExport) ? LIVE_MS : IDLE_MS) },
    ),
  ).data?.exports;
  if ((deployments?.length ?? 0) + (exports?.length ?? 0) === 0) return null;
  return (
    <PageSection title="Served and published">
      <DataList size="sm" gap={6} labelWidth={130}>
        {deployments?.map((one) => (
          <Fact key={one.id} label="Deployment">
            <Link href={deploymentHref(projectId, one.id)}>{one.model}</Link> <DeploymentState deployment={one} />
          </Fact>
        ))}
        {exports?.map((one) => (
          <Fact key={one.id} label="Export">
            <Link href={exportHref(projectId, one.id)}>
              {formatWords(one)} as {one.destination.repoId}
            </Link>{" "}
            <ExportStatus of={one} />
          </Fact>
        ))}
      </DataList>
    </PageSection>
  );
}
