import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { EvaluationPage } from "./_components/evaluation-page";

type Props = { params: Promise<{ projectId: string; evaluationId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, evaluationId } = await params;
  return titled<RouterOutputs["evaluations"]["get"]>(
    trpc.evaluations.get.queryOptions({ projectId, evaluationId }),
    ({ evaluation }) => evaluation.after.name,
    "Before/after",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, evaluationId } = await params;
  await prefetch(trpc.evaluations.get.queryOptions({ projectId, evaluationId }));
  return (
    <Hydrate>
      <EvaluationPage projectId={projectId} evaluationId={evaluationId} />
    </Hydrate>
  );
}
