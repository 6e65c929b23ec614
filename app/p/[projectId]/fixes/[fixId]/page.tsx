import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { FixPage } from "./_components/fix-page";

type Props = { params: Promise<{ projectId: string; fixId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, fixId } = await params;
  return titled<RouterOutputs["fixes"]["get"]>(
    trpc.fixes.get.queryOptions({ projectId, fixId: decodeURIComponent(fixId) }),
    ({ fix }) => `Fix: ${fix.findingTitle.replaceAll("`", "")}`,
    "Fix",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, fixId: raw } = await params;
  const fixId = decodeURIComponent(raw);
  await prefetch(trpc.fixes.get.queryOptions({ projectId, fixId }));
  return (
    <Hydrate>
      <FixPage projectId={projectId} fixId={fixId} />
    </Hydrate>
  );
}
