import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { DeploymentPage } from "./_components/deployment-page";

type Props = { params: Promise<{ projectId: string; deploymentId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, deploymentId } = await params;
  return titled<RouterOutputs["deployments"]["get"]>(
    trpc.deployments.get.queryOptions({ projectId, deploymentId }),
    ({ deployment }) => deployment.model,
    "Deployment",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, deploymentId } = await params;
  await prefetch(trpc.deployments.get.queryOptions({ projectId, deploymentId }));
  return (
    <Hydrate>
      <DeploymentPage projectId={projectId} deploymentId={deploymentId} />
    </Hydrate>
  );
}
