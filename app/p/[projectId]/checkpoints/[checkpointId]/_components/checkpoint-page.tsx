"use client";
import { Button, Skeleton, Stack } from "@mantine/core";
import { IconDeviceFloppy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { pageHref } from "../../../_components/shell/pages";
import { Artifacts } from "../../../_components/training/artifacts";
import { CheckpointFacts, CheckpointFiles, CheckpointProfile } from "../../_components/checkpoint-parts";
import { Certificates } from "./certificates";
import { CheckpointHeader } from "./checkpoint-header";
import { Served } from "./served";

const REFRESH_MS = 5000;

/** A checkpoint: what it is, how its forms answer, where it is served and published, and its files. */
export function CheckpointPage({ projectId, checkpointId }: { projectId: string; checkpointId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const listHref = useListHref(pageHref(projectId, "checkpoints"));
  useKeys({ [ESC]: () => router.push(listHref) });
  const query = useQuery(
    trpc.checkpoints.get.queryOptions({ projectId, checkpointId }, { refetchInterval: REFRESH_MS }),
  );
  const checkpoint = query.data?.checkpoint;
  const job = useQuery(
    trpc.trainingJobs.get.queryOptions(
      { projectId, jobId: checkpoint?.jobId ?? "" },
      { enabled: checkpoint !== undefined },
    ),
  );
  if (!checkpoint) return <NoCheckpoint projectId={projectId} query={query} />;
  const artifacts = job.data?.job.artifacts.filter((one) => one.checkpointId === checkpointId) ?? [];
  return (
    <>
      <CheckpointHeader projectId={projectId} checkpoint={checkpoint} listHref={listHref} />
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      <PageBody>
        <PageSection title="Facts">
          <CheckpointFacts projectId={projectId} checkpoint={checkpoint} />
        </PageSection>
        <PageSection title="Formats" flush anchor="certificates">
          <Certificates projectId={projectId} checkpointId={checkpointId} />
        </PageSection>
        <Served projectId={projectId} checkpointId={checkpointId} />
        {artifacts.length === 0 ? null : (
          <PageSection title="Built from it" flush>
            <Artifacts artifacts={artifacts} />
          </PageSection>
        )}
        <PageSection title="Serving">
          <CheckpointProfile checkpoint={checkpoint} />
        </PageSection>
        <PageSection title="Files">
          <CheckpointFiles projectId={projectId} checkpoint={checkpoint} />
        </PageSection>
      </PageBody>
    </>
  );
}

type Query = { error: unknown; isPending: boolean; isFetching: boolean; refetch: () => unknown };

function NoCheckpoint({ projectId, query }: { projectId: string; query: Query }) {
  if (!query.error) {
    return (
      <Stack p="md" gap="lg" role="status" aria-label="Loading the checkpoint">
        {[40, 90, 70, 80, 60].map((width) => (
          <Skeleton key={width} height={14} width={`${width}%`} />
        ))}
      </Stack>
    );
  }
  return (
    <>
      <PageHeader title="Checkpoint" />
      {problemOf(query.error).status === 404 ? (
        <EmptyState
          icon={IconDeviceFloppy}
          title="Checkpoint not found"
          action={
            <Button component={Link} href={pageHref(projectId, "checkpoints")}>
              All checkpoints
            </Button>
          }
        >
          Checkpoint was not found.
        </EmptyState>
      ) : (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      )}
    </>
  );
}
