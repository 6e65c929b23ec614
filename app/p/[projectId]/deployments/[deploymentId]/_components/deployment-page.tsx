"use client";
import { IconRocket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { WithoutThing } from "@/app/_components/feedback/without-thing";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { CertificateView } from "../../../_components/serving/parity/certificate-view";
import { isChanging } from "../../../_components/serving/words";
import { pageHref } from "../../../_components/shell/pages";
import { TrainerError } from "../../../_components/training/trainer-error";
import { DeploymentFacts } from "./deployment-facts";
import { DeploymentHeader } from "./deployment-header";
import { DeploymentStage } from "./deployment-stage";
import { Endpoint } from "./endpoint";
import { History } from "./history";

const LIVE_MS = 1000;
const IDLE_MS = 10_000;

function useDeployment(projectId: string, deploymentId: string) {
  const trpc = useTRPC();
  return useQuery(
    trpc.deployments.get.queryOptions(
      { projectId, deploymentId },
      { refetchInterval: ({ state }) => (state.data && isChanging(state.data.deployment) ? LIVE_MS : IDLE_MS) },
    ),
  );
}

/** A deployment: how to call it, whether it runs, what it serves, and what ran under its name before. */
export function DeploymentPage({ projectId, deploymentId }: { projectId: string; deploymentId: string }) {
  const router = useRouter();
  const query = useDeployment(projectId, deploymentId);
  const listHref = useListHref(pageHref(projectId, "deployments"));
  useKeys({ [ESC]: () => router.push(listHref) });
  const deployment = query.data?.deployment;
  if (!deployment)
    return (
      <WithoutThing
        what="Deployment"
        icon={IconRocket}
        list={{ href: pageHref(projectId, "deployments"), label: "All deployments" }}
        query={query}
      />
    );
  return (
    <>
      <DeploymentHeader projectId={projectId} deployment={deployment} listHref={listHref} />
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      <DeploymentStage deployment={deployment} />
      <PageBody>
        {deployment.error === null ? null : <TrainerError error={deployment.error} />}
        {deployment.purpose === "service" ? (
          <PageSection title="Call it">
            <Endpoint projectId={projectId} deployment={deployment} />
          </PageSection>
        ) : null}
        <PageSection title="Facts">
          <DeploymentFacts projectId={projectId} deployment={deployment} />
        </PageSection>
        {deployment.certificateId === null ? null : (
          <PageSection title="Comparison with the checkpoint" flush>
            <CertificateView projectId={projectId} certificateId={deployment.certificateId} />
          </PageSection>
        )}
        {deployment.purpose === "service" ? (
          <PageSection title={`What ran as “${deployment.model}”`} flush>
            <History projectId={projectId} deployment={deployment} />
          </PageSection>
        ) : null}
      </PageBody>
    </>
  );
}
