"use client";
import { IconDeviceFloppy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { WithoutThing } from "@/app/_components/feedback/without-thing";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
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
  if (!checkpoint)
    return (
      <WithoutThing
        what="Checkpoint"
        icon={IconDeviceFloppy}
        list={{ href: pageHref(projectId, "checkpoints"), label: "All checkpoints" }}
        query={query}
      />
    );
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
