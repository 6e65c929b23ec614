import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { RulePage } from "./_components/rule-page";

type Props = { params: Promise<{ projectId: string; ruleId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, ruleId } = await params;
  return titled<RouterOutputs["rules"]["list"]>(
    trpc.rules.list.queryOptions({ projectId }),
    ({ rules }) => rules.find(({ id }) => id === decodeURIComponent(ruleId))?.name,
    "Rule",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, ruleId } = await params;
  await prefetch(trpc.rules.list.queryOptions({ projectId }));
  return (
    <Hydrate>
      <RulePage projectId={projectId} ruleId={decodeURIComponent(ruleId)} />
    </Hydrate>
  );
}
