import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { DeploymentPage } from "./_components/deployment-page";

export const metadata: Metadata = { title: "Deployment" };

type Props = { params: Promise<{ projectId: string; deploymentId: string }> };

export default async function Page({ params }: Props) {
  const { projectId, deploymentId } = await params;
  await prefetch(trpc.deployments.get.queryOptions({ projectId, deploymentId }));
  return (
    <Hydrate>
      <DeploymentPage projectId={projectId} deploymentId={deploymentId} />
    </Hydrate>
  );
}
