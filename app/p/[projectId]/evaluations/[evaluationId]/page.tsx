import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { EvaluationPage } from "./_components/evaluation-page";

export const metadata: Metadata = { title: "Before/after" };

type Props = { params: Promise<{ projectId: string; evaluationId: string }> };

export default async function Page({ params }: Props) {
  const { projectId, evaluationId } = await params;
  await prefetch(trpc.evaluations.get.queryOptions({ projectId, evaluationId }));
  return (
    <Hydrate>
      <EvaluationPage projectId={projectId} evaluationId={evaluationId} />
    </Hydrate>
  );
}
